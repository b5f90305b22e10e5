exit: 3
recommend --task finetune --model xtts --batch-size 1000 --gpu 3090 --provider lambda,runpod,aws -o json
