// Pieces of terminal text.
#pragma once

#include <string>
#include <string_view>

#include "host/terminal.hpp"
#include "vcgpu/provider.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu {

class Style {
 public:
  explicit Style(const Terminal& terminal) : m_terminal(terminal) {}

  [[nodiscard]] std::string bold(std::string_view text) const { return wrap(text, "1"); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap(text, "2"); }
  [[nodiscard]] std::string good(std::string_view text) const { return wrap(text, "32"); }
  [[nodiscard]] std::string warning(std::string_view text) const { return wrap(text, "33"); }
  [[nodiscard]] std::string bad(std::string_view text) const { return wrap(text, "31"); }
  [[nodiscard]] std::string verdict(Verdict verdict) const;

  // `share` (0 to 1, more is full) of `width` cells.
  [[nodiscard]] std::string bar(double share, std::size_t width) const;

  // Low to high: "40m-2h 10m".
  [[nodiscard]] std::string span(std::string_view low, std::string_view high) const;

  [[nodiscard]] std::string times() const { return m_terminal.utf8 ? "×" : "x"; }
  [[nodiscard]] std::size_t columns() const { return m_terminal.columns; }

 private:
  [[nodiscard]] std::string wrap(std::string_view text, std::string_view code) const;
  Terminal m_terminal;
};

// "RTX 4090" for "NVIDIA GeForce RTX 4090", "2x RTX 4090", "1/4 of A10".
std::string short_gpu_name(const GpuGroup& group);

}  // namespace vcgpu
