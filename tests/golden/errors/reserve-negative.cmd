exit: 2
recommend --task finetune --model sovits --reserve -1GB
