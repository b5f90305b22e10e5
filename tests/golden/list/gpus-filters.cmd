gpus list --vram 24GB --vendor nvidia --compute-capability 8.0..8.9
