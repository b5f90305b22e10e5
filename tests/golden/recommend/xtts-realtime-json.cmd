recommend --task realtime --model xtts --streams 20 --limit 1 --gpu 4090 -o json
