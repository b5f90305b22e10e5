fit --task batch --model bark --gpu 8GB
