gpus show t4 p40 -o markdown --fields id,memory_gb,cheapest_on_demand.usd_per_gpu_hour
