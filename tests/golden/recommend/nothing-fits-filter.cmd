exit: 3
env: COLUMNS=80
recommend --task finetune --model sovits --vram 9999GB
