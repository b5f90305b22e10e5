#include "host/environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "base/date.hpp"
#include "base/text.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::filesystem::path config_directory() {
  const std::filesystem::path base = environment_variable("XDG_CONFIG_HOME");
  if (base.is_absolute()) return base / "vcgpu";
  const std::string home = environment_variable("HOME");
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".config" / "vcgpu";
}

std::vector<std::filesystem::path> overlay_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path directory = config_directory();
  if (directory.empty()) return files;
  std::error_code none;  // no directory, no overlays
  for (std::filesystem::directory_iterator entry(directory, none), end; !none && entry != end;
       entry.increment(none)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::chrono::sys_days today() {
  const std::string set = environment_variable("VCGPU_TODAY");
  if (set.empty()) return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  if (const auto day = parse_date(set)) return *day;
  throw Error(ExitCode::usage, "bad-value",
              fmt::format("VCGPU_TODAY: '{}' is no date", printable(set, 40)), "write YYYY-MM-DD");
}

}  // namespace vcgpu
