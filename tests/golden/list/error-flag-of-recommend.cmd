exit: 2
offers list --budget 5
