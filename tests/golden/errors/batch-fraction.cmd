exit: 2
recommend --task finetune --model sovits --batch-size 1.5
