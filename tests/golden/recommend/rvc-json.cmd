recommend --task finetune --model rvc --limit 1 -o json --gpu 3090
