offers list --pricing spot --region europe --gpu a100,l4
