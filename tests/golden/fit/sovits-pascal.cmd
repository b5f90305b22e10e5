fit --task finetune --model gpt-sovits --gpu 1080ti
