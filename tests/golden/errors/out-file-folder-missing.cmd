exit: 1
recommend --task finetune --model sovits --out-file @TMP@/no/such/answer
