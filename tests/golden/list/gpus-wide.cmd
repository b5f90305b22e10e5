gpus list --vendor amd -o wide
