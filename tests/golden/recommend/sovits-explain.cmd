env: COLUMNS=80
recommend --task finetune --model sovits --explain --limit 1
