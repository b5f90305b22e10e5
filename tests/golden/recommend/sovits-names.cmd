recommend --task finetune --model sovits --limit 5 -o names
