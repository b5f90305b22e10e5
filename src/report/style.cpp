#include "report/style.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace vcgpu {

std::string Style::wrap(std::string_view text, std::string_view code) const {
  return m_terminal.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string Style::verdict(Verdict verdict) const {
  switch (verdict) {
    case Verdict::fits:
      return good("fits");
    case Verdict::tight:
      return warning("tight");
    case Verdict::does_not_fit:
      return bad("does not fit");
  }
  return "?";
}

std::string Style::bar(double share, std::size_t width) const {
  const auto cells = static_cast<std::size_t>(
      std::round(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < width; ++i)
    text += i < cells ? (m_terminal.utf8 ? "█" : "#") : (m_terminal.utf8 ? "░" : "-");
  return text;
}

std::string Style::span(std::string_view low, std::string_view high) const {
  if (low == high) return std::string(low);
  return fmt::format("{}{}{}", low, m_terminal.utf8 ? "–" : "-", high);
}

std::string short_gpu_name(const GpuGroup& group) {
  std::string name = printable(group.gpu->name, 60);
  for (const std::string_view prefix : {"NVIDIA ", "AMD ", "GeForce ", "Instinct ", "Tesla "}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  if (group.count == 1) return name;
  if (group.count < 1) return fmt::format("1/{:.0f} of {}", 1 / group.count, name);
  return fmt::format("{}x {}", number_text(group.count), name);
}

}  // namespace vcgpu
