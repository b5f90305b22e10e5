env: COLUMNS=80
recommend --task finetune --model sovits --sort fit --limit 3
