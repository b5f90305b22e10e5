fit --task finetune --model xtts --gpu 12GB
