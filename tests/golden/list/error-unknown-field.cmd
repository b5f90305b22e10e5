exit: 2
gpus list --fields usable -o csv
