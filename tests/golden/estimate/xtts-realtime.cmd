env: COLUMNS=80
estimate --task realtime --model xtts --gpu t4 --streams 4
