env: COLUMNS=80
recommend --task finetune --model sovits --vram 16GB..24GB --provider runpod,lambda,aws --pricing on-demand --limit 3
