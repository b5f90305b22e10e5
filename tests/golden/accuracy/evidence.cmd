accuracy --evidence two.jsonl --show-misses
