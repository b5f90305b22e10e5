gpus show --help
