exit: 1
recommend --workload @TMP@/w.json
