// What each lever of the ladder is called, and what it costs.
#pragma once

#include <string>
#include <string_view>

#include "vcgpu/fit.hpp"

namespace vcgpu {

struct LeverWords {
  std::string_view lever;  // stable, for scripts
  std::string_view name;   // for people
  QualityCost cost{};
  std::string_view quality;
};

namespace levers {

// Training, cheapest sacrifice first: the order of the planner's search.
extern const LeverWords recipe, micro_batch, some_smaller_batch, checkpointing, sharding, attention,
    precision, small_batch, optimizer, averaged_copy, adapters, shorter_clips;

// Inference.
extern const LeverWords as_served, fewer_streams, half, int8, int4, offload, context, reference,
    shorter_output;

}  // namespace levers

// A rung with these words, the rest empty.
Rung rung_of(const LeverWords& words);

// Usable memory with which `device` would be judged `fits` (judge_fit).
Bytes needed_memory(const Range<Bytes>& device, double headroom);

// Whether a rung is worth a step: it fits, or needs at least a hundredth less.
bool helps(const Rung& rung, const Rung& before);

// The first rung that fits, else the tight one that is least likely to fail.
std::optional<std::size_t> recommended_rung(const std::vector<Rung>& ladder);

}  // namespace vcgpu
