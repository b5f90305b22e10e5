// What the place that output goes to can show.
#pragma once

#include <cstddef>

namespace vcgpu {

enum class ColourChoice { automatic, always, never };

struct Terminal {
  bool colour = false;
  bool utf8 = false;
  std::size_t columns = 80;
};

// For standard output: colour only on a terminal and unless NO_COLOR is set
// (CLICOLOR_FORCE and `always` override), UTF-8 by the locale's environment,
// width from the terminal or COLUMNS, 80 where there is neither.
Terminal terminal_of_stdout(ColourChoice choice);

}  // namespace vcgpu
