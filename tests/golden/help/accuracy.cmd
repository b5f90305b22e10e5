accuracy --help
