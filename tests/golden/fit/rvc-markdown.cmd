fit --task finetune --model rvc --gpu 3060 -o markdown --fields gpu.id,largest_batch,longest_clip_s
