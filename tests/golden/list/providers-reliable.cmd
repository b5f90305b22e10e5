providers list --min-reliability 5
