fit --task finetune --model gpt-sovits@v3 --lora off --gpu 3060 --explain
