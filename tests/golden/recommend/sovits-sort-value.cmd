env: COLUMNS=80
recommend --task finetune --model sovits --sort value --limit 3
