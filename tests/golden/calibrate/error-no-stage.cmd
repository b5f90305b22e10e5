exit: 2
calibrate xtts.csv --model sovits
