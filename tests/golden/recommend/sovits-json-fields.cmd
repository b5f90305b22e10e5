recommend --task finetune --model sovits --limit 2 -o json --fields rank,gpu.id,verdict --provider lambda
