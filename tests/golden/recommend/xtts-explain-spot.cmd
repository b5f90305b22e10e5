env: COLUMNS=80
recommend --task finetune --model xtts --explain --limit 1 --provider aws --pricing spot
