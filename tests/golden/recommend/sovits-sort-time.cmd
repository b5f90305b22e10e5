env: COLUMNS=80
recommend --task finetune --model sovits --sort time --limit 3
