exit: 2
recommend --task finetune --model sovits --limti 3
