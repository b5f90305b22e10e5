exit: 2
recommend --task finetune
