exit: 2
env: VCGPU_TODAY=yesterday
recommend --task finetune --model sovits
