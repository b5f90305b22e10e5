fit --task finetune --model xtts --gpu 2080ti --max-clip 8s
