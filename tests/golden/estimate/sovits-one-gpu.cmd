env: COLUMNS=80
estimate --task finetune --model sovits --gpu 4090
