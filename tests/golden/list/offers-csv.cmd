offers list --gpu 4090 -o csv --fields provider,sku,usd_per_hour,pricing,tier,as_of
