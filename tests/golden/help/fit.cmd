fit --help
