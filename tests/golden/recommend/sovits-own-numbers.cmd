env: COLUMNS=80
recommend --task finetune --model sovits --dataset 2h --epochs 20 --batch-size 2 --max-clip 6s --precision fp32 --reserve 1GB --headroom 10% --limit 2
