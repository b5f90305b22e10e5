env: COLUMNS=80
estimate --task finetune --model rvc --gpu 3060,t4,4090,a100
