gpus show l4 -o json
