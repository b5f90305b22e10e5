exit: 2
calibrate
