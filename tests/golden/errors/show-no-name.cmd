exit: 2
gpus show
