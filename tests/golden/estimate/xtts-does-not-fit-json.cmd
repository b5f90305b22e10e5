estimate --task finetune --model xtts --gpu 2080 -o json
