exit: 2
offers list --sort price
