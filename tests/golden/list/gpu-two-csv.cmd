gpus show t4 p40 -o csv
