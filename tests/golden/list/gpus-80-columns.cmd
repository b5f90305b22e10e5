env: COLUMNS=80
gpus list --vram 40GB..80GB --arch Ampere
