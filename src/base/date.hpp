// Calendar dates as the data writes them. "Today" is always a parameter.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace vcgpu {

using Day = std::chrono::sys_days;

// "2026-11-30", "2026-11" or "2026" (their first day); nothing where the text
// is no date between 2000 and 2199.
std::optional<Day> parse_date(std::string_view text);

std::string date_text(Day day);

// Whole days from `as_of` to `today`, at least 0; 0 for a text that is no date
// (the catalog reader has refused those).
int age_days(std::string_view as_of, Day today);

}  // namespace vcgpu
