recommend --task finetune --model sovits --per provider --limit 4 -o names
