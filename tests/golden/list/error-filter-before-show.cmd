exit: 2
offers --market show runpod/SECURE:rtx-4090-24gb
