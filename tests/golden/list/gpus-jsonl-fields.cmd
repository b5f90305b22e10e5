gpus list --vram ..6GB -o jsonl --fields id,usable_gib,min_usd_per_gpu_hour
