fit --task finetune --model xtts --gpu 3060 --all
