recommend --task finetune --model f5-tts --limit 1 -o json --gpu 3090
