exit: 2
calibrate own.csv --as my-model
