exit: 2
--verison
