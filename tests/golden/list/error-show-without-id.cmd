exit: 2
offers show
