exit: 2
offers 4090
