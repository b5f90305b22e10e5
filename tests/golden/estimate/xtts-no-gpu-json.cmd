estimate --task finetune --model xtts -o json
