// What stands behind an answer: memory and cost line by line, reasons, other
// choices, and what was left out. Each appends to `out`.
#pragma once

#include <string>

#include "report/answer.hpp"
#include "report/style.hpp"

namespace vcgpu {

void add_memory(std::string& out, const Answer& answer, const Candidate& candidate,
                const Style& style);
void add_cost_lines(std::string& out, const Candidate& candidate);
void add_reasons(std::string& out, const Candidate& candidate, const Style& style);
void add_alternatives(std::string& out, const Answer& answer, const Style& style);
void add_rejections(std::string& out, const Answer& answer, const Style& style);

// When nothing is left: what came nearest, and what would help.
void add_nearest(std::string& out, const Answer& answer, const Style& style);

}  // namespace vcgpu
