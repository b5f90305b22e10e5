#include "report/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.hpp"

namespace vcgpu {

namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t least_elastic = 12;
constexpr std::size_t longest_cell = 160;

std::vector<std::size_t> widths_of(const std::vector<TextColumn>& columns, const TextRows& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = display_width(columns[i].title);
    for (const auto& row : rows) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  return widths;
}

std::size_t total_of(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown,
                     std::size_t indent) {
  const std::size_t gaps = shown.empty() ? 0 : (shown.size() - 1) * gap.size();
  return std::accumulate(shown.begin(), shown.end(), indent + gaps,
                         [&](std::size_t sum, std::size_t i) { return sum + widths[i]; });
}

// Where in `shown` the column stands that is given up first.
std::optional<std::size_t> most_expendable(const std::vector<TextColumn>& columns,
                                           const std::vector<std::size_t>& shown) {
  std::optional<std::size_t> worst;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const int expendable = columns[shown[at]].expendable;
    if (expendable > 0 && (!worst || expendable >= columns[shown[*worst]].expendable)) worst = at;
  }
  return worst;
}

// The columns that fit; narrows the elastic one in `widths` where none can go.
std::vector<std::size_t> fit_columns(const std::vector<TextColumn>& columns,
                                     std::vector<std::size_t>& widths,
                                     const TextTableLayout& layout) {
  std::vector<std::size_t> shown(columns.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (layout.columns == 0) return shown;
  std::size_t total = total_of(widths, shown, layout.indent.size());
  while (total > layout.columns) {
    const std::optional<std::size_t> worst = most_expendable(columns, shown);
    if (!worst) break;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(*worst));
    total = total_of(widths, shown, layout.indent.size());
  }
  for (const std::size_t i : shown) {
    if (!columns[i].elastic || total <= layout.columns) continue;
    const std::size_t excess = total - layout.columns;
    const std::size_t least = std::min(widths[i], least_elastic);
    widths[i] = widths[i] > least + excess ? widths[i] - excess : least;
  }
  return shown;
}

std::string cell_text(std::string_view text, std::size_t width, TextColumn::Align align) {
  const std::size_t own = display_width(text);
  if (own > width) return fitted(text, width);
  const std::string space(width - own, ' ');
  return align == TextColumn::Align::right ? space + std::string(text) : std::string(text) + space;
}

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns, TextRows rows,
                       const TextTableLayout& layout, const Style& style) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell, longest_cell);
  }
  std::vector<std::size_t> widths = widths_of(columns, rows);
  const std::vector<std::size_t> shown = fit_columns(columns, widths, layout);
  const auto line = [&](auto text_of) {
    std::string text = layout.indent;
    for (std::size_t at = 0; at < shown.size(); ++at) {
      if (at > 0) text += gap;
      text += cell_text(text_of(shown[at]), widths[shown[at]], columns[shown[at]].align);
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  std::string out =
      style.bold(line([&](std::size_t i) -> std::string_view { return columns[i].title; })) + "\n";
  for (const auto& row : rows)
    out += line([&](std::size_t i) -> std::string_view { return row[i]; }) + "\n";
  return out;
}

std::string wrapped_behind(std::string_view lead, std::string_view text, std::size_t columns) {
  const std::size_t indent = display_width(lead);
  std::string out;
  for (const std::string& line : wrapped(text, columns > indent + 20 ? columns - indent : 20)) {
    out += out.empty() ? std::string(lead) : std::string(indent, ' ');
    out += line + "\n";
  }
  return out;
}

}  // namespace vcgpu
