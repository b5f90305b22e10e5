env: COLUMNS=80
estimate --task finetune --model xtts --gpu 3060 --batch-size 3
