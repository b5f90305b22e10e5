providers list --help
