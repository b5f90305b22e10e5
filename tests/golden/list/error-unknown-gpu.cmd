exit: 2
gpus 4091
