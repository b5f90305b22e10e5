exit: 2
recomend
