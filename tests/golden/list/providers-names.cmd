providers list --min-reliability 4 -o names
