// The flags that describe the work, and the workload file with the same names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cli/common.hpp"
#include "vcgpu/workload.hpp"

namespace vcgpu::cli {

// Text by setting ("max-clip"), as typed.
struct WorkloadFlags {
  std::map<std::string, std::optional<std::string>> values;
  bool commercial = false;
  std::optional<std::string> file;
};

// "finetune" and its synonyms. Throws Error (usage) with the nearest.
Task parse_task(std::string_view text);

void add_workload_flags(CLI::App& command, WorkloadFlags& flags);

// File first, flags over it. Throws Error (usage) for what is impossible,
// missing or not known; errors in the file carry its name and line.
WorkloadRequest read(const WorkloadFlags& flags);

}  // namespace vcgpu::cli
