env: COLUMNS=80
estimate --task finetune --model rvc
