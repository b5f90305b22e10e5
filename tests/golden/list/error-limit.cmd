exit: 2
offers list --limit -1
