exit: 2
models list --tasks train
