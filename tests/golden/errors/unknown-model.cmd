exit: 2
recommend --task finetune --model xttss
