recommend --task finetune --model f5-tts --limit 3
