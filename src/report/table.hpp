// Answers for people: what was understood, the ranked rows, and why.
#pragma once

#include <string>

#include "report/answer.hpp"
#include "report/style.hpp"

namespace vcgpu {

// Fits the terminal's columns (80 at least); two lines a row.
std::string answer_table(const Answer& answer, const Style& style);

// One line a row, as wide as it gets.
std::string answer_wide(const Answer& answer, const Style& style);

// One or two lines: the resolved workload and the default that matters most.
std::string workload_text(const Workload& workload, const GroupPlan* best);

}  // namespace vcgpu
