offers list --sort age --limit 8 --min-reliability 4
