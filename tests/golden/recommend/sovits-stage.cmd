env: COLUMNS=80
recommend --task finetune --model sovits --stage s1 --limit 1
