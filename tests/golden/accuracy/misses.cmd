accuracy --show-misses
