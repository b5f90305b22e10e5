#include "report/card.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace vcgpu {

namespace {

constexpr std::size_t label_columns = 18;
constexpr std::size_t longest_text = 3000;

}  // namespace

Card::Card(const Style& style, std::string_view name, std::string_view id) : m_style(style) {
  m_text = fmt::format("{} ({})\n", style.bold(printable(name)), printable(id));
}

Card& Card::section(std::string_view title) {
  m_section = title;
  return *this;
}

void Card::open_section() {
  if (m_section.empty()) return;
  m_text += "\n";
  for (const std::string& line : wrapped(m_section, m_style.columns()))
    m_text += m_style.bold(line) + "\n";
  m_section.clear();
}

Card& Card::field(std::string_view label, std::string_view text) {
  if (text.empty()) return *this;
  open_section();
  m_text += wrapped_behind("  " + fitted(label, label_columns) + " ", printable(text, longest_text),
                           m_style.columns());
  return *this;
}

Card& Card::list(std::string_view label, const std::vector<std::string>& texts) {
  if (texts.size() == 1) return field(label, texts.front());
  for (const std::string& text : texts) {
    open_section();
    m_text += wrapped_behind("  " + fitted(label, label_columns) + " - ",
                             printable(text, longest_text), m_style.columns());
    label = {};
  }
  return *this;
}

Card& Card::item(std::string_view text) {
  open_section();
  m_text += wrapped_behind("  - ", printable(text, longest_text), m_style.columns());
  return *this;
}

Card& Card::table(const std::vector<TextColumn>& columns, TextRows rows) {
  if (rows.empty()) return *this;
  open_section();
  m_text += text_table(columns, std::move(rows), {m_style.columns(), "  "}, m_style);
  return *this;
}

std::string dated_text(const std::string& as_of, const CardContext& context) {
  const int days = age_days(as_of, context.today);
  if (days == 0) return as_of;
  return fmt::format("{}, {} day{} old", as_of, days, days == 1 ? "" : "s");
}

}  // namespace vcgpu
