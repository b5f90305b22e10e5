exit: 2
fit --task finetune --model xtts --gpu 'rtx 40900'
