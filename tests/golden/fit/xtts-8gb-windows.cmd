exit: 3
fit --task finetune --model xtts --gpu 8GB --os windows
