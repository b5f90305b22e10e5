exit: 2
fit --gpu 3060
