// Levers that a user set, against what a model's stages have.
#pragma once

#include <string>

#include "vcgpu/workload.hpp"

namespace vcgpu {

// Throws Error (usage).
[[noreturn]] void refuse(std::string code, const std::string& message, const std::string& hint);

// "xtts@v2"
std::string model_label(const ModelChoice& choice);

// Whether the profile is of this precision, among others.
bool is_of(const MemoryProfile& profile, Precision precision);

bool has_rule(const std::vector<LengthRule>& rules, Variable variable);

// Whether the stage trains on crops of a length that a user can set.
bool crops_clips(const Stage& stage);

// A lever goes to the stages that have it; one that no stage has is refused,
// not ignored. Throws Error (usage).
void settle_levers(Workload& workload);

}  // namespace vcgpu
