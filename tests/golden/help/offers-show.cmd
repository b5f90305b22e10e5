offers show --help
