fit --task finetune --model rvc --gpu 6GB,3060,3090 -o csv
