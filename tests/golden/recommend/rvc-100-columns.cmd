recommend --task finetune --model rvc --limit 3
