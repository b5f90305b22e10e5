exit: 2
gpus show 4090 --vram 24GB
