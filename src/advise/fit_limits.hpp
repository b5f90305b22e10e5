// How far batch and clips may go with given settings.
#pragma once

#include "vcgpu/fit.hpp"

namespace vcgpu {

// Fills in largest_batch, longest_clip and grid of `fit`, for `plan` of `stage`.
void add_limits(const Workload& workload, const StageWorkload& stage, const StagePlan& plan,
                Bytes usable, const Assumptions& assumptions, StageFit& fit);

}  // namespace vcgpu
