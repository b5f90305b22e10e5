env: COLUMNS=80
recommend --task finetune --model sovits --sort cost --limit 3
