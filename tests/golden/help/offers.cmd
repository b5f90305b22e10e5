offers --help
