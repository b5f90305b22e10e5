providers show aws gcp -o csv
