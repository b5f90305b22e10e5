exit: 2
accuracy --evidence ''
