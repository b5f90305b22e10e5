env: COLUMNS=80
recommend --task finetune --model sovits --region europe --arch ampere --limit 2
