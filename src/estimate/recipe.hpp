// What the training code takes by itself.
#pragma once

#include "vcgpu/plan.hpp"
#include "vcgpu/workload.hpp"

namespace vcgpu {

// The batch that the training code would take on this card.
double recipe_batch(const StageWorkload& stage, const Gpu& gpu, double share, Precision precision);

int recipe_accumulation(const StageWorkload& stage);

// The batch of one GPU that the user asked for.
double asked_batch(const StageWorkload& stage, int gpus);

// The smallest batch that makes sense: one clip, or the longest clip's frames.
double smallest_batch(const StageWorkload& stage);

// The settings that the training code takes by itself on this card, with what
// the user asked for in their place: what a reporter ran, fitting or not.
// Throws Error (usage) where the memory of such settings is not known.
StagePlan recipe_plan(const StageWorkload& stage, const GpuGroup& group);

// `stage` on clips of at most `longest`.
StageWorkload with_clips_up_to(const StageWorkload& stage, Seconds longest);

}  // namespace vcgpu
