env: COLUMNS=80
recommend --task finetune --model sovits --tier secure --min-reliability 4 --max-age 120d --limit 2
