exit: 2
recommend --task finetune --model sovits --mean-clip 9s --max-clip 8s
