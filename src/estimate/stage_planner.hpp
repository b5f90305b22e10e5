// Settings of one training stage on one group of GPUs.
#pragma once

#include <optional>
#include <string>

#include "estimate/levers.hpp"
#include "estimate/recipe.hpp"
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

// The least sacrifice that fits, then the shortest time; where nothing fits, the
// settings that need least. Without any lever: the recipe as it is on this card.
StageOutcome plan_stage(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                        const Catalog& catalog, const Levers& levers = {});

}  // namespace vcgpu
