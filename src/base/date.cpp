#include "base/date.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace vcgpu {

std::optional<Day> parse_date(std::string_view text) {
  int fields[3] = {0, 1, 1};
  constexpr std::size_t widths[3] = {4, 2, 2};
  std::size_t at = 0;
  std::size_t field = 0;
  for (; field < 3 && at < text.size(); ++field) {
    if (field > 0 && text[at++] != '-') return std::nullopt;
    if (at + widths[field] > text.size()) return std::nullopt;
    const char* begin = text.data() + at;
    const char* end = begin + widths[field];
    if (!std::all_of(begin, end, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    std::from_chars(begin, end, fields[field]);
    at += widths[field];
  }
  if (field == 0 || at != text.size()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(fields[0]),
                                         std::chrono::month(static_cast<unsigned>(fields[1])),
                                         std::chrono::day(static_cast<unsigned>(fields[2]))};
  if (!date.ok() || fields[0] < 2000 || fields[0] > 2199) return std::nullopt;
  return Day(date);
}

std::string date_text(Day day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

int age_days(std::string_view as_of, Day today) {
  const std::optional<Day> day = parse_date(as_of);
  return day ? std::max(0, static_cast<int>((today - *day).count())) : 0;
}

}  // namespace vcgpu
