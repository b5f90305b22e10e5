stdin: s2.jsonl
calibrate - --model sovits@v2 --stage s2
