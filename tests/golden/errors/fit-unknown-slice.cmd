exit: 2
fit --task finetune --model xtts --gpu a100-80gb/9g.90gb
