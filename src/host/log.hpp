// What the program does, said on standard error where --verbose asks for it.
#pragma once

#include <string_view>

namespace vcgpu {

// Starts writing log lines; before, they are dropped and cost nothing.
void start_log();

// One line, with the microseconds since the one before.
void log_step(std::string_view message);

}  // namespace vcgpu
