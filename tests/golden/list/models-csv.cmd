models list -o csv
