// Settings of one training stage on one group of GPUs.
#pragma once

#include <optional>

#include "vcgpu/planner.hpp"

namespace vcgpu {

struct StageOutcome {
  std::optional<PlannedStage> stage;  // absent: nothing could be sized
  std::optional<Obstacle> obstacle;   // present: it cannot run
};

StageOutcome plan_stage(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                        const Catalog& catalog);

}  // namespace vcgpu
