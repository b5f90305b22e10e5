// --help: examples first, then flags by group, exit codes and JSON fields.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace vcgpu::cli {

// The library's own layout changes between its versions; ours does not.
std::string help_text(const CLI::App& command, const std::string& path);

}  // namespace vcgpu::cli
