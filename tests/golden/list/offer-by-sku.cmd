offers show gpu_1x_a100
