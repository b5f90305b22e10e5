providers show --help
