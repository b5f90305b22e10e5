exit: 2
models show f6-tts
