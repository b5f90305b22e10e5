fit --task finetune --model rvc --gpu 3060,3090 -o names
