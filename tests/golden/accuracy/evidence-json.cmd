accuracy --evidence two.jsonl -o json
