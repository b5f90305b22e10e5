exit: 2
offers show runpod/SECURE:rtx-4090-24
