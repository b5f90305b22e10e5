#include "host/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace vcgpu {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    const std::string locale = lower(value.substr(0, 64));
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::size_t width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string columns(environment("COLUMNS").substr(0, 8));
  const long value = std::strtol(columns.c_str(), nullptr, 10);
  return value > 0 ? static_cast<std::size_t>(value) : 80;
}

bool wants_colour(ColourChoice choice) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb";
}

}  // namespace

Terminal terminal_of_stdout(ColourChoice choice) {
  return {.colour = wants_colour(choice),
          .utf8 = locale_is_utf8(),
          .columns = std::clamp<std::size_t>(width(), 40, 400)};
}

}  // namespace vcgpu
