exit: 2
gpus 4090 --vram 24GB
