exit: 2
fit --task finetune --model xtts --gpu 3060 --expain
