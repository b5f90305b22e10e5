exit: 1
recommend --task finetune --model sovits --catalog @TMP@
