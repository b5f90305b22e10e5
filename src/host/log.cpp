#include "host/log.hpp"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace vcgpu {

namespace {

// Not spdlog's default logger: making that one at start-up, where nobody reads
// it, would cost more than parsing the arguments.
std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}

}  // namespace

void start_log() {
  logger() =
      std::make_shared<spdlog::logger>("vcgpu", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger()->set_pattern("vcgpu: %v (+%i us)");
}

void log_step(std::string_view message) {
  if (logger()) logger()->info("{}", message);
}

}  // namespace vcgpu
