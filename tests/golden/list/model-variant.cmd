env: COLUMNS=80
models show sovits@v2pro
