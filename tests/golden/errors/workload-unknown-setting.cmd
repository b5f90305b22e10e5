exit: 2
stdin: workload-unknown-setting.json
recommend --workload -
