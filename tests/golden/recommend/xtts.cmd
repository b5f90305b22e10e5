env: COLUMNS=80
recommend --task finetune --model xtts --limit 3
