env: LC_ALL=C
fit --task finetune --model tortoise --gpu 3060
