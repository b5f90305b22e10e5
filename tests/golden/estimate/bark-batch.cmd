env: COLUMNS=80
estimate --task batch --model bark --gpu 3090 --volume 10h
