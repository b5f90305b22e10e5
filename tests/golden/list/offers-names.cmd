offers list --provider lambda -o names
