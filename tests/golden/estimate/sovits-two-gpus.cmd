env: COLUMNS=80
estimate --task finetune --model sovits --gpu 3090 --gpu-count 2
