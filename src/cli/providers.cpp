#include "cli/commands.hpp"
namespace vcgpu::cli {
void add_providers(CLI::App&, Action&) {}
}  // namespace vcgpu::cli
