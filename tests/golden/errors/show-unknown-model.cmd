exit: 2
models show xttss
