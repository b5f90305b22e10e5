exit: 1
calibrate nope.csv --model xtts
