env: COLUMNS=80
estimate --task finetune --model f5-tts --gpu 12GB
