gpus list --gpu 3060,3090 -o markdown --fields id,memory_gb,usable_gib,fp16_tflops
