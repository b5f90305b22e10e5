env: COLUMNS=80
providers show lambda
