calibrate xtts.csv --model xtts
