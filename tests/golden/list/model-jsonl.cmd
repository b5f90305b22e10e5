models show vits@ljs -o jsonl
