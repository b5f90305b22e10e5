exit: 3
env: COLUMNS=80
recommend --task finetune --model sovits --budget 0.001 --provider lambda
