env: COLUMNS=80
recommend --task finetune --model sovits --commercial --limit 1
