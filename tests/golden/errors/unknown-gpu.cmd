exit: 2
recommend --task finetune --model sovits --gpu 4900
