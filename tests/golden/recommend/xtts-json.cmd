recommend --task finetune --model xtts --limit 1 -o json --gpu 3090
