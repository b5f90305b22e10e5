gpus list --gpu 4090 -o json --out-file @TMP@/gpus.json
