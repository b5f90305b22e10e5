gpus list --help
