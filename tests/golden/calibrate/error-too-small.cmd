exit: 2
calibrate too-small.csv --model xtts
