env: COLUMNS=80
recommend --task finetune --model tortoise --limit 2
