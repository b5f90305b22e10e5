exit: 2
compare --gpu 3060
