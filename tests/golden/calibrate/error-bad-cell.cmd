exit: 2
calibrate bad-cell.csv --model xtts
