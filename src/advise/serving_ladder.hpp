// The ladder of inference on one group of GPUs.
#pragma once

#include "vcgpu/fit.hpp"

namespace vcgpu {

struct ServingLadder {
  StageFit fit;
  InferenceWorkload workload;  // of the recommended rung, else of the last
  bool recipe_fits = false;
};

ServingLadder climb_serving(const Workload& workload, const GpuGroup& group,
                            const Catalog& catalog);

}  // namespace vcgpu
