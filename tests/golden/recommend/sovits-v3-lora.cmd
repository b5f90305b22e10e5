env: COLUMNS=80
recommend --task finetune --model sovits@v3 --lora 32 --stage s2 --limit 1
