offers list --gpu-count ..0.9
