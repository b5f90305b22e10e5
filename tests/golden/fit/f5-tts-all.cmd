fit --task finetune --model f5-tts --gpu 3060 --all
