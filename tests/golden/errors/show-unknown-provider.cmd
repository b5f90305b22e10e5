exit: 2
providers show runpd
