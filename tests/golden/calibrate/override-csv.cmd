calibrate xtts.csv --model xtts -o csv
