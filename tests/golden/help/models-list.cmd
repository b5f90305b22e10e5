models list --help
