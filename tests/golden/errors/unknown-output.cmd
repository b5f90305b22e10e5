exit: 2
recommend --task finetune --model sovits -o yaml
