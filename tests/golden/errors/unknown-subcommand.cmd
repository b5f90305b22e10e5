exit: 2
gpus lst
