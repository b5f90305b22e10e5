exit: 2
models shwo xtts
