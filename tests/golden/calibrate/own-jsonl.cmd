calibrate own.csv --as my-model --parameters 120M -o jsonl
