// The process's surroundings: variables, configuration files, the clock.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace vcgpu {

// The variable's value, empty where it is not set.
std::string environment_variable(const char* name);

// $XDG_CONFIG_HOME/vcgpu, else ~/.config/vcgpu; empty where neither is known.
std::filesystem::path config_directory();

// The overlay files of the configuration directory, by name.
std::vector<std::filesystem::path> overlay_files();

// The date of the system clock in UTC, or VCGPU_TODAY (YYYY-MM-DD) where set,
// so that outputs can be reproduced. Throws Error (usage) where that is no date.
std::chrono::sys_days today();

}  // namespace vcgpu
