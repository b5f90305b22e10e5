exit: 2
recommend --task train --model bark
