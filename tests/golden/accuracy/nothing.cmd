exit: 3
accuracy --evidence empty.jsonl
