env: COLUMNS=80
recommend --task realtime --model xtts --streams 200 --duty 0.4 --limit 2
