exit: 3
env: COLUMNS=80
estimate --task finetune --model xtts --gpu mi300x
