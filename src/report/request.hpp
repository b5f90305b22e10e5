// The resolved request: every parameter, its value and where it came from.
#pragma once

#include "catalog/json_source.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu {

std::string_view name_of(Origin origin);

// {"task": {"value": "finetune", "origin": "flag"}, ...}. Where the stages of
// a pipeline differ, value is an object by stage. `best` adds what the planner
// chose for the first answer, with origin "auto"; may be null.
// `options` adds the filters that were asked for and the ranking; may be null.
Json request_json(const Workload& workload, const GroupPlan* best, const RecommendOptions* options);

}  // namespace vcgpu
