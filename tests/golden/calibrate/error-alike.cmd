exit: 2
calibrate alike.csv --model xtts
