gpus list --vendor amd -o csv
