recommend --task finetune --model xtts --limit 3
