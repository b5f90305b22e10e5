exit: 2
calibrate bad-column.csv --model xtts
