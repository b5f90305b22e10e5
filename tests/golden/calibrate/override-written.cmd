calibrate xtts.csv --model xtts --write @TMP@/xtts.json
