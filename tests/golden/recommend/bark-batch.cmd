env: COLUMNS=80
recommend --task batch --model bark --volume 900h --limit 2
