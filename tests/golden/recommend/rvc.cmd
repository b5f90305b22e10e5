env: COLUMNS=80
recommend --task finetune --model rvc --limit 3
