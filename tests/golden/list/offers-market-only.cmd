offers list --provider tensordock --market
