env: COLUMNS=80
estimate --task finetune --model xtts --gpu 3060 --reserve 2GB --headroom 10%
