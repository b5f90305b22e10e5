exit: 2
recommend --task finetune --model sovits --epochs 3 --steps 100
