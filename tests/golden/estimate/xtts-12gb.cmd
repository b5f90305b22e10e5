env: COLUMNS=80
estimate --task finetune --model xtts --gpu 12GB
