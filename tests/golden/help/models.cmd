models --help
