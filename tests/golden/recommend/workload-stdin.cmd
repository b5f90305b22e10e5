stdin: workload.json
env: COLUMNS=80
recommend --workload - --limit 1
