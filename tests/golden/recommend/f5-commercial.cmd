exit: 3
env: COLUMNS=80
recommend --task finetune --model f5-tts --commercial --limit 1
