exit: 2
providers show lambdaa -o json
