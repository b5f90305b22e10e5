offers list --limit 1 --gpu 4090 -o json
