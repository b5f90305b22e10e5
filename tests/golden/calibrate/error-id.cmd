exit: 2
calibrate own.csv --as My_Model --parameters 4M
