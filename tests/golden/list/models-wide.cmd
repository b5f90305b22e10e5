models list --task real-time -o wide
