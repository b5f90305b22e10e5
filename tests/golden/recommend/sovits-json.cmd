recommend --task finetune --model sovits --limit 1 -o json --gpu 3090
