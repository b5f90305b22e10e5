offers list --gpu 4090 --pricing on-demand --tier secure --max-hourly 1
