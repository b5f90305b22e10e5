exit: 2
providers list --min-reliability 6
