// The words and cells that tables are made of.
#pragma once

#include <string>
#include <string_view>

#include "report/style.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu {

// One or two lines: the resolved workload and the default that matters most.
std::string workload_text(const Workload& workload, const GroupPlan* best);

// "b6×4 fp16 ckpt", "fp16 3 streams".
std::string settings_text(const StagePlan& settings, const Style& style);
std::string settings_text(const InferencePlan& plan);

// "s2 b6×4 fp16 ckpt": stage, batch per GPU x accumulation, precision.
std::string plan_text(const GroupPlan& plan, const Style& style);

// "7.2/11.6 GiB": expected peak of usable memory, and the share.
std::string gib_text(const GroupPlan& plan);
double fill_of(const GroupPlan& plan);

// "11m-1h 7m", "$0.02-0.08": 5th to 95th percentile.
std::string time_text(const Candidate& candidate, const Style& style);
std::string cost_text(const Candidate& candidate, const Style& style);

// "$0.34/h (100 d old)", "RunPod community spot".
std::string price_text(const Candidate& candidate, int old_after_days);
std::string offer_text(const Candidate& candidate);

std::string verdict_cell(const Candidate& candidate, const Style& style, std::size_t columns);

// Appends `text` broken at `columns`, the first line after `lead` and the
// others indented as far.
void add_wrapped(std::string& out, std::string_view lead, std::string_view text,
                 std::size_t columns);

}  // namespace vcgpu
