env: COLUMNS=80
recommend --task finetune --model sovits --sort hourly --limit 3
