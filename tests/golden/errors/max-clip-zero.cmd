exit: 2
recommend --task finetune --model sovits --max-clip 0s
