env: LC_ALL=C
gpus show mi300x
