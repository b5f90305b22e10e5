offers show lambda/gpu_1x_a10 -o csv
