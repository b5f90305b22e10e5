exit: 2
recommend --task finetune --model sovits --headroom 200%
