env: COLUMNS=80
recommend --task finetune --model so-vits-svc --limit 2
