exit: 2
stdin: workload-bad-value.json
recommend --workload -
