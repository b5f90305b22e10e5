exit: 2
recommend --task finetune --model sovits --precision int8
