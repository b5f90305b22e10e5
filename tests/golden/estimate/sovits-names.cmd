estimate --task finetune --model sovits --vram 80GB.. -o names
