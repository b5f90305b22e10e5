exit: 3
fit --task batch --model bark --gpu 1GB
