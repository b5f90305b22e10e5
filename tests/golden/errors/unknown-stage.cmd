exit: 2
recommend --task finetune --model sovits --stage s3
