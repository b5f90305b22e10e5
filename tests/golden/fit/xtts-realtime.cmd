fit --task realtime --model xtts --streams 8 --gpu 4090
