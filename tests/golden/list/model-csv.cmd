models show rvc tortoise -o csv
