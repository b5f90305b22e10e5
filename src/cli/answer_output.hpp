// Writes the answer of recommend and estimate in the format asked for.
#pragma once

#include "cli/common.hpp"
#include "report/answer.hpp"

namespace vcgpu::cli {

void write_answer(const Answer& answer, const CommonOptions& options);

}  // namespace vcgpu::cli
