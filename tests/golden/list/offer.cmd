env: COLUMNS=80
offers show runpod/SECURE:rtx-4090-24gb
