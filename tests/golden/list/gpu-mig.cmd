env: COLUMNS=80
gpus show a100-pcie-40gb
