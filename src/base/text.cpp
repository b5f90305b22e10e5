#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace vcgpu {

namespace {

bool is_word(unsigned char c) { return std::isalnum(c) != 0; }

// Insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The length of the valid UTF-8 sequence at the start of `text`, 0 if invalid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

// The code point of a valid UTF-8 sequence.
char32_t code_point(std::string_view sequence) {
  constexpr unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = static_cast<unsigned char>(sequence[0]) & lead_bits[sequence.size()];
  for (const char c : sequence.substr(1))
    value = (value << 6) | (static_cast<unsigned char>(c) & 0x3F);
  return value;
}

// Control characters, and the marks that end lines or reorder text: they can
// hide what a line says, or act on the terminal.
bool is_deceptive(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string normalised_name(std::string_view text) {
  std::string name;
  name.reserve(text.size());
  for (const char c : text) {
    if (is_word(static_cast<unsigned char>(c)))
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                       std::size_t limit) {
  // A hostile argument may be megabytes long; no name of ours is.
  const std::string target = normalised_name(wanted.substr(0, 64));
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& name : names) {
    const std::string candidate = normalised_name(name);
    std::size_t score = edit_distance(target, candidate) * 2;
    if (target.size() >= 2 && candidate.find(target) != std::string::npos) score = 1;
    const std::size_t tolerance =
        std::max<std::size_t>(2, std::max(target.size(), candidate.size()) / 3) * 2;
    if (score <= tolerance) scored.emplace_back(score, name);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> nearest;
  for (const auto& [score, name] : scored) {
    if (nearest.size() == limit) break;
    nearest.push_back(name);
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names,
                         std::string_view otherwise) {
  const std::vector<std::string> nearest = nearest_names(wanted, names);
  if (nearest.empty()) return std::string(otherwise);
  std::string text = "did you mean " + nearest[0];
  for (std::size_t i = 1; i < nearest.size(); ++i)
    text += (i + 1 == nearest.size() ? " or " : ", ") + nearest[i];
  return text + "?";
}

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  while (!text.empty()) {
    if (shown.size() >= limit) return shown + "...";
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_deceptive(code_point(sequence))) {
      shown += '?';
    } else {
      shown += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return shown;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string fitted(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width <= columns) return std::string(text) + std::string(columns - width, ' ');
  if (columns == 0) return {};
  // A mark where something is missing.
  std::string result;
  std::size_t used = 0;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (starts && used + 1 == columns) return result + '~';
    if (starts) ++used;
    result += c;
  }
  return result;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > columns) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace vcgpu
