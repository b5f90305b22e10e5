// The ladder of one training stage on one group of GPUs.
#pragma once

#include <optional>

#include "vcgpu/fit.hpp"

namespace vcgpu {

struct StageLadder {
  StageFit fit;
  StageWorkload workload;             // with the clips of the recommended rung
  std::optional<PlannedStage> stage;  // recommended, else what needs least; its workload is unset
  bool recipe_fits = false;
};

StageLadder climb(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                  const Catalog& catalog);

}  // namespace vcgpu
