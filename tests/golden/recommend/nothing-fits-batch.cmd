exit: 3
env: COLUMNS=80
recommend --task finetune --model xtts --batch-size 1000 --gpu 4090,a100
