exit: 2
gpus show 4900
