calibrate own.csv --as my-model --parameters 120M --write @TMP@/entry.json
