env: COLUMNS=80
recommend --task train --model f5-tts --gpu-count 8 --limit 2
