stdin: two.jsonl
accuracy --evidence - -o markdown
