env: COLUMNS=80
gpus show 4090
