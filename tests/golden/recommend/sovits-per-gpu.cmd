recommend --task finetune --model sovits --per gpu --limit 4 -o names
