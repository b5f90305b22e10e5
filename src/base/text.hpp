// Text as people type it and as terminals show it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vcgpu {

// Lower case, letters and digits only: the form in which names are compared.
std::string normalised_name(std::string_view text);

// Up to `limit` of `names` that are nearest to `wanted` by edit distance and
// shared beginnings; none where nothing is near.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                       std::size_t limit = 3);

// "did you mean a, b or c?", or `otherwise` where nothing is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names,
                         std::string_view otherwise = {});

// "a, b, c".
std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);

// Safe to show: control characters and invalid UTF-8 become '?', and what is
// longer than `limit` bytes is cut with "...". Outside text passes through here
// before it reaches a terminal or an error message.
std::string printable(std::string_view text, std::size_t limit = 200);

// Columns that `text` takes in a terminal; UTF-8, no East Asian wide forms
// occur in what we print.
std::size_t display_width(std::string_view text);

// `text` padded with spaces to exactly `columns`, or cut and ended with '~'.
std::string fitted(std::string_view text, std::size_t columns);

// Lines of at most `columns`, broken at spaces; a longer word stands alone.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace vcgpu
