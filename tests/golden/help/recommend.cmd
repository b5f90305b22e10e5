recommend --help
