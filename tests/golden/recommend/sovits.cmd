env: COLUMNS=80
recommend --task finetune --model sovits --limit 3
