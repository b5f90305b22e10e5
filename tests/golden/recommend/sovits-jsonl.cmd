recommend --task finetune --model sovits --limit 2 -o jsonl --fields rank,gpu.id,offer.provider,cost.total_usd
