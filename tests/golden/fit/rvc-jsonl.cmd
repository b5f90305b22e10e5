fit --task finetune --model rvc --gpu 3060 -o jsonl --fields gpu.id,settings
