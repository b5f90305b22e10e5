exit: 2
recommend xtts --task finetune --model sovits
