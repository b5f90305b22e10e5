offers list --provider vast --market --gpu a10,a100-pcie-40gb -o names
