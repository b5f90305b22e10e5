recommend --task finetune --model sovits --limit 3 -o csv --fields rank,gpu.id,offer.regions,cost.total_usd.expected
