env: COLUMNS=80
models
