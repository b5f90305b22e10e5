offers list --provider lambda --limit 3 -o markdown
