exit: 2
fit --task finetune --model xtts
