gpus list --gpu-count 8 --gpu h100-sxm-80gb,4090 -o jsonl
