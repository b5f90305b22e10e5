gpus list --gpu 4090 -o json
