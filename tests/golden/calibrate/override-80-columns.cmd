env: COLUMNS=80
calibrate xtts.csv --model xtts
