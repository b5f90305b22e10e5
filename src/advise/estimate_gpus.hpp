// What the answers without offers (estimate, fit) have in common.
#pragma once

#include "advise/filter.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu {

// A card that was named, and that the filter refuses.
void reject_card(Recommendation& result, const Gpu& gpu, int gpu_count, const FilterMiss& miss);

// What fits first, the smaller card first; sets ranks and totals.
void sort_by_fit(Recommendation& result);

}  // namespace vcgpu
