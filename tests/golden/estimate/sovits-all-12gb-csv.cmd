estimate --task finetune --model sovits --gpu all --vram 12GB -o csv
