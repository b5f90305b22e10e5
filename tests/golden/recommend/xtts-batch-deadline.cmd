env: COLUMNS=80
recommend --task batch --model xtts --volume 900h --deadline 4d --limit 2
