calibrate own.csv --as my-model --parameters 120M --frozen 30M
