providers list --min-reliability 5 -o jsonl
