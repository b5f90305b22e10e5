calibrate xtts.csv --model xtts --as my-xtts -o names
