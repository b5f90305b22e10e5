env: COLUMNS=80
providers
