// Why a candidate stands where it stands, and what to mind about it.
#pragma once

#include <vector>

#include "vcgpu/recommend.hpp"

namespace vcgpu {

// `all` holds the ranked candidates that it is compared with.
std::vector<Reason> reasons_for(const Candidate& candidate, const Recommendation& all,
                                const Catalog& catalog);

}  // namespace vcgpu
