exit: 3
gpus list --vram 300GB.. -o csv
