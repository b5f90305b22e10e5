// Where results go.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace vcgpu {

// To the file, atomically, or to standard output. A reader that closes the pipe
// is no error; a full disk is: throws Error (failure).
void write_result(std::string_view text, const std::optional<std::filesystem::path>& file);

}  // namespace vcgpu
