exit: 2
calibrate xtts.csv --model xtts --parameters 4M -o json
