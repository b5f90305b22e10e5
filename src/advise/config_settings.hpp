// A plan in the words of the project's own configuration.
#pragma once

#include <vector>

#include "vcgpu/fit.hpp"

namespace vcgpu {

// What to type for `plan`: the settings that the project has a key for, and
// those that differ from its recipe though their key is not known.
std::vector<ConfigSetting> config_settings(const StageWorkload& stage, const StagePlan& plan);

}  // namespace vcgpu
