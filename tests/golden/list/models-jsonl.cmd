models list --task train -o jsonl
