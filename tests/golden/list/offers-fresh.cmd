offers list --max-age 30d --sort usd --limit 8
