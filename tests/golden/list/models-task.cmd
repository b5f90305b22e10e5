models list --task train --commercial
