exit: 2
recommend --task finetune --model sovits --dataset 40
