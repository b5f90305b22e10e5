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

}  // namespace vcgpu
