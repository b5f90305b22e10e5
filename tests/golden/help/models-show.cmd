models show --help
