offers list --sort provider --vram 48GB --limit 12 --exclude-provider akash
