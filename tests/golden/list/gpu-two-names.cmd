gpus show 4090 h100 -o names
