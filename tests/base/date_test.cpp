#include "base/date.hpp"

#include <string>

#include "support/catch.hpp"

using namespace vcgpu;

namespace {

Day day(int year, unsigned month, unsigned of_month) {
  return std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(of_month);
}

}  // namespace

TEST_CASE("a date is a day, or the first of a month or year") {
  CHECK(parse_date("2026-11-30") == day(2026, 11, 30));
  CHECK(parse_date("2026-11") == day(2026, 11, 1));
  CHECK(parse_date("2026") == day(2026, 1, 1));
}

TEST_CASE("the 29th of February exists in leap years only") {
  CHECK(parse_date("2028-02-29") == day(2028, 2, 29));
  CHECK_FALSE(parse_date("2026-02-29"));
}

TEST_CASE("what is no date of this or the next century is none") {
  const auto text = GENERATE(
      values<std::string>({"", "1999-12-31", "2200-01-01", "2026-13-01", "2026-00-01", "2026-11-31",
                           "2026-1-1", "2026-11-", "2026-", "26-11-30", "2026/11/30",
                           "2026-11-30T00:00", "30.11.2026", "-026", "2026-11-3x", " 2026"}));
  CAPTURE(text);
  CHECK_FALSE(parse_date(text));
}

TEST_CASE("a date is written as it is read") { CHECK(date_text(day(2026, 3, 7)) == "2026-03-07"); }

TEST_CASE("age is counted in whole days") {
  CHECK(age_days("2026-05-24", day(2026, 11, 30)) == 190);
  CHECK(age_days("2026-11-30", day(2026, 11, 30)) == 0);
}

TEST_CASE("a date in the future has no age") {
  CHECK(age_days("2027-01-01", day(2026, 11, 30)) == 0);
}
