fit --task finetune --model xtts --gpu 8GB,3060,a100-80gb/3g.40gb
