exit: 2
recommend --task finetune --model sovits --vram 48GB..16GB
