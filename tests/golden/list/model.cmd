env: COLUMNS=80
models show xtts
