// Whole files, read with a limit and written so that a reader never sees half.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace vcgpu {

// The file's bytes; "-" is standard input. Throws Error (failure) naming the
// path where it cannot be read, is no regular file or exceeds `limit_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes);

// Writes beside `path` and renames over it: after a failure `path` is as it
// was. A link is followed; a pipe or a device is written to as it stands. Throws Error (failure)
// naming the path.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace vcgpu
