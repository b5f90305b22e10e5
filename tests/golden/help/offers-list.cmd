offers list --help
