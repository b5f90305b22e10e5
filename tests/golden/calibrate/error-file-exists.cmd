exit: 2
calibrate xtts.csv --model xtts --write own.csv
