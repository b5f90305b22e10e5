#include "host/output.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

void write_result(std::string_view text, const std::optional<std::filesystem::path>& file) {
  if (file) return write_file_atomically(*file, text);
  while (!text.empty()) {
    const ssize_t put = write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EPIPE) return;
    if (put < 0)
      throw Error(ExitCode::failure, "io",
                  fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace vcgpu
