exit: 4
accuracy --evidence broken.jsonl
