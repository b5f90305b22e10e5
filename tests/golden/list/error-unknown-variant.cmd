exit: 2
models show xtts@v3
