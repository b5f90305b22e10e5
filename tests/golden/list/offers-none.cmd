exit: 3
offers list --provider runpod --pricing reserved
