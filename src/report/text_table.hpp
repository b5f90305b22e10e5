// Rows under headings, as wide as their content, cut to the terminal.
#pragma once

#include <string>
#include <vector>

#include "report/style.hpp"

namespace vcgpu {

struct TextColumn {
  std::string title;
  enum class Align { left, right } align = Align::left;
  int expendable = 0;    // where the width is short, the highest goes first; 0 stays
  bool elastic = false;  // and then this one is cut
};

using TextRows = std::vector<std::vector<std::string>>;

struct TextTableLayout {
  std::size_t columns = 0;  // of the terminal; 0: as wide as it gets
  std::string indent;
};

// Cells are outside text: they pass through printable() here.
std::string text_table(const std::vector<TextColumn>& columns, TextRows rows,
                       const TextTableLayout& layout, const Style& style);

// `text` wrapped to `columns` behind `lead`, continued under its beginning.
std::string wrapped_behind(std::string_view lead, std::string_view text, std::size_t columns);

}  // namespace vcgpu
