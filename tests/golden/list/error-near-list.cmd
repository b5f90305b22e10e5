exit: 2
gpus lsit
