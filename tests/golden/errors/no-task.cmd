exit: 2
recommend --model sovits
