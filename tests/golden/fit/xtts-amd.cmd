exit: 3
fit --task finetune --model xtts --gpu mi300x
