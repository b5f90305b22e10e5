exit: 2
gpus list 4090
