exit: 3
fit --task finetune --model rvc --gpu 3060 --batch-size 64
