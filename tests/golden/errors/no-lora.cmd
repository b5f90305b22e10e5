exit: 2
recommend --task finetune --model xtts --lora 16
