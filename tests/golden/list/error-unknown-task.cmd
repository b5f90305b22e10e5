exit: 2
models list --task finetun
