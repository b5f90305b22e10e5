recommend --task finetune --model sovits --limit 3 -o csv
