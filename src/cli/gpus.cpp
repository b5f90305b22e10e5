#include "cli/commands.hpp"
namespace vcgpu::cli {
void add_gpus(CLI::App&, Action&) {}
}  // namespace vcgpu::cli
