exit: 3
fit --task finetune --model gpt-sovits@v3 --lora off --gpu 8GB
