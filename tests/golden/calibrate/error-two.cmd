exit: 2
calibrate two.csv --model xtts
