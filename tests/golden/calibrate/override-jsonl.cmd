calibrate xtts.csv --model xtts -o jsonl
