models list --commercial -o names
