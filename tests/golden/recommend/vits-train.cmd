env: COLUMNS=80
recommend --task train --model vits --limit 2
