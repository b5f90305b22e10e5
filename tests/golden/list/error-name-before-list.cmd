exit: 2
gpus 4090 list
