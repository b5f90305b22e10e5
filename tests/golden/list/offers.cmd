env: COLUMNS=80
offers
