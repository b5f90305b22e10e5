gpus list --gpu 12GB
