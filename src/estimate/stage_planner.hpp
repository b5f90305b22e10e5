// Settings of one training stage on one group of GPUs.
#pragma once

#include <optional>
#include <string>

#include "vcgpu/planner.hpp"

namespace vcgpu {

// What a stage lacks, and what would make it fit by itself.
struct StageMisfit {
  std::string message;
  double lack = 1;              // needed / usable memory
  std::optional<double> batch;  // where the user set one
  double asked_batch = 0;
  std::optional<Seconds> max_clip;  // at the smallest batch
  Seconds asked_clip;
  Bytes needed;  // usable memory, 95th percentile
};

struct StageOutcome {
  std::optional<PlannedStage> stage;  // absent: nothing could be sized
  std::optional<Obstacle> obstacle;   // present: it cannot run there at all
  std::optional<StageMisfit> misfit;  // present: it does not fit
};

// The settings that the training code takes by itself on this card, with what
// the user asked for in their place: what a reporter ran, fitting or not.
// Throws Error (usage) where the memory of such settings is not known.
StagePlan recipe_plan(const StageWorkload& stage, const GpuGroup& group);

StageOutcome plan_stage(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                        const Catalog& catalog);

}  // namespace vcgpu
