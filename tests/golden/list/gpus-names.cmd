gpus list --arch Hopper -o names
