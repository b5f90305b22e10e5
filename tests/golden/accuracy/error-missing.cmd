exit: 1
accuracy --evidence no-such-file
