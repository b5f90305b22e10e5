providers list -o csv
