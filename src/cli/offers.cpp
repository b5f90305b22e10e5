#include "cli/commands.hpp"
namespace vcgpu::cli {
void add_offers(CLI::App&, Action&) {}
}  // namespace vcgpu::cli
