estimate --task finetune --model xtts --gpu 3060,3090 -o markdown
