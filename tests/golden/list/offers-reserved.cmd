offers list --pricing reserved
