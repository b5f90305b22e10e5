exit: 3
recommend --task finetune --model sovits --vram 9999GB -o csv
