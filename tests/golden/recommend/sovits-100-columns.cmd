recommend --task finetune --model sovits --limit 3
