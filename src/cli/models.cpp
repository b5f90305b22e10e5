#include "cli/commands.hpp"
namespace vcgpu::cli {
void add_models(CLI::App&, Action&) {}
}  // namespace vcgpu::cli
