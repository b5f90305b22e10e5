env: COLUMNS=80
env: LC_ALL=C
recommend --task finetune --model sovits --limit 2
