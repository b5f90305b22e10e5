fit --task train --model f5-tts --gpu 12GB -o wide
