exit: 2
recommend --task finetun --model sovits
