offers list --provider lambda --gpu a10,a100-sxm-40gb -o wide
