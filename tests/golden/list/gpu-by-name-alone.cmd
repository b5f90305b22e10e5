gpus "RTX 3060 12GB" -o names
