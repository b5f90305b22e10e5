#include "base/numbers.hpp"

#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace vcgpu;
using vcgpu::test::error_of;

namespace {

constexpr Bounds up_to_hundred{0, 100};
constexpr Bounds a_second_to_a_day{1, 86400};
constexpr Bounds up_to_a_terabyte{0, 1e12};

using Number = std::pair<std::string, double>;
using Shown = std::pair<double, std::string>;

}  // namespace

TEST_CASE("a plain decimal number is read") {
  const auto [text, value] = GENERATE(values<Number>(
      {{"24", 24}, {".5", 0.5}, {"1e1", 10}, {"+7", 7}, {" 8 ", 8}, {"5.", 5}, {"00", 0}}));
  CAPTURE(text);
  CHECK(parse_number(text, "--x", up_to_hundred) == value);
}

TEST_CASE("what is no decimal number is refused") {
  const auto text = GENERATE(
      values<std::string>({"",     " ",     "nan",      "NaN",   "-nan", "inf", "-inf", "Infinity",
                           "0x10", "1e999", "1,5",      "12abc", "--5",  "-",   "+",    ".",
                           "1 2",  "five",  "\xD9\xA3", "1e",    "$5",   "5;",  "1_000"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_number(text, "--x", {-1e300, 1e300}); });
  CHECK(error.exit_code() == ExitCode::usage);
  CHECK(error.code() == "bad-value");
}

TEST_CASE("a number after two signs is refused") {
  CHECK(error_of([] { (void)parse_number("+-5", "--x", {-10, 10}); }).code() == "bad-value");
}

TEST_CASE("a zero byte does not end a number early") {
  CHECK_THROWS_AS(parse_number(std::string_view("1\0002", 3), "--x", up_to_hundred), Error);
}

TEST_CASE("a number outside its bounds is refused") {
  const auto text = GENERATE(values<std::string>({"-1", "100.001", "1e308", "-1e308", "-0.001"}));
  CAPTURE(text);
  CHECK_THROWS_AS(parse_number(text, "--x", up_to_hundred), Error);
}

TEST_CASE("the bounds themselves are accepted") {
  CHECK(parse_number("0", "--x", up_to_hundred) == 0);
  CHECK(parse_number("100", "--x", up_to_hundred) == 100);
}

TEST_CASE("a refusal names the flag, what was given and what is allowed") {
  const Error error = error_of([] { (void)parse_number("-3", "--batch-size", {1, 1e6}); });
  CHECK(std::string(error.what()) == "--batch-size: '-3' is not possible");
  CHECK(error.hint() == "a number from 1 to 1000000");
}

TEST_CASE("an argument of megabytes is cut in the refusal") {
  const std::string huge(10'000'000, '9');
  const Error error = error_of([&] { (void)parse_number(huge, "--x", up_to_hundred); });
  CHECK(std::string(error.what()).size() < 120);
}

TEST_CASE("terminal escapes in an argument do not reach the refusal") {
  const Error error = error_of([] { (void)parse_number("\x1b[31m9", "--x", up_to_hundred); });
  CHECK(std::string(error.what()) == "--x: '?[31m9' is not possible");
}

TEST_CASE("a whole number is read, in exponent form too") {
  CHECK(parse_integer("42", "--n", up_to_hundred) == 42);
  CHECK(parse_integer("1e2", "--n", up_to_hundred) == 100);
}

TEST_CASE("what is no whole number within its bounds is refused") {
  const auto text = GENERATE(values<std::string>({"1.5", "0", "-3", "1e9", "nan", "", "101"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_integer(text, "--n", {1, 100}); });
  CHECK(error.hint() == "a whole number from 1 to 100");
}

TEST_CASE("a duration is read in every unit, and as a sum of parts") {
  const auto [text, seconds] = GENERATE(values<Number>({{"300ms", 0.3},
                                                        {"90s", 90},
                                                        {"3sec", 3},
                                                        {"40m", 2400},
                                                        {"40min", 2400},
                                                        {"10h", 36000},
                                                        {"2hr", 7200},
                                                        {"1h30m", 5400},
                                                        {"1h30m15s", 5415},
                                                        {".5h", 1800},
                                                        {"2d", 172800},
                                                        {"1w", 604800},
                                                        {"10H", 36000},
                                                        {" 5s ", 5}}));
  CAPTURE(text);
  CHECK(parse_duration(text, "--d", {0, 1e6}).count() == Approx(seconds));
}

TEST_CASE("what is no duration within its bounds is refused") {
  const auto text = GENERATE(values<std::string>(
      {"",     "90",   "-5m",   "0s",     "0.5s",       "25h",  "5x", "1h30", "1h-30m", "m",
       "nanh", "infs", "0x10s", "1e999s", "5 mins ago", "1e9h", "h1", "1,5h", "30m1h",  "1h1h"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_duration(text, "--dataset", a_second_to_a_day); });
  CHECK(error.hint() == "a duration such as 300ms, 90s, 40m, 10h or 1h30m, from 1s to 24h");
}

TEST_CASE("a size is decimal or binary as its unit says") {
  const auto [text, bytes] = GENERATE(values<Number>({{"1GB", 1e9},
                                                      {"1GiB", 1073741824},
                                                      {"500MB", 5e8},
                                                      {"500MiB", 524288000},
                                                      {"12gb", 12e9},
                                                      {"0.5tb", 5e11},
                                                      {"8b", 8},
                                                      {"0", 0}}));
  CAPTURE(text);
  CHECK(parse_size(text, "--reserve", up_to_a_terabyte).count() == bytes);
}

TEST_CASE("what is no size within its bounds is refused") {
  const auto text = GENERATE(values<std::string>(
      {"", "12", "GB", "12XB", "-1GB", "nanGB", "1GBs", "2TB", "1e999GB", "0x1GB", "1GB2GB"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_size(text, "--reserve", up_to_a_terabyte); });
  CHECK(error.hint() == "a size such as 500MB, 1GB (10^9 bytes) or 1GiB (2^30), from 0 to 1000 GB");
}

TEST_CASE("a share is a percentage or a fraction") {
  const auto [text, share] =
      GENERATE(values<Number>({{"5%", 0.05}, {"0.05", 0.05}, {"50%", 0.5}, {"0", 0}}));
  CAPTURE(text);
  CHECK(parse_share(text, "--headroom", {0, 0.5}) == Approx(share));
}

TEST_CASE("what is no share within its bounds is refused") {
  const auto text =
      GENERATE(values<std::string>({"", "%", "5%%", "-1%", "51%", "5", "nan", "nan%", "5%x"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_share(text, "--headroom", {0, 0.5}); });
  CHECK(error.hint() == "a share from 0% to 50%");
}

TEST_CASE("a range may be open on either side") {
  const OpenRange both = parse_range("16..48", "--vram", up_to_hundred);
  CHECK(both.low == 16.0);
  CHECK(both.high == 48.0);
  const OpenRange from = parse_range("16..", "--vram", up_to_hundred);
  CHECK(from.low == 16.0);
  CHECK_FALSE(from.high);
  const OpenRange to = parse_range("..48", "--vram", up_to_hundred);
  CHECK_FALSE(to.low);
  CHECK(to.high == 48.0);
}

TEST_CASE("a single value is a range of itself") {
  const OpenRange range = parse_range("24", "--vram", up_to_hundred);
  CHECK(range.low == 24.0);
  CHECK(range.high == 24.0);
}

TEST_CASE("a range's ends may carry the unit") {
  const OpenRange range = parse_range("16GB..48gb", "--vram", up_to_hundred, "GB");
  CHECK(range.low == 16.0);
  CHECK(range.high == 48.0);
}

TEST_CASE("what is no range within its bounds is refused") {
  const auto text = GENERATE(values<std::string>({"", "..", "48..16", "-1..5", "1..101", "a..b",
                                                  "nan..", "..inf", "1..2..3", "16MB..", "1-5"}));
  CAPTURE(text);
  const Error error = error_of([&] { (void)parse_range(text, "--vram", up_to_hundred, "GB"); });
  CHECK(error.hint() == "NGB, NGB..MGB, NGB.. or ..MGB, from 0 to 100");
}

TEST_CASE("a range contains its ends and nothing outside") {
  const OpenRange range = parse_range("16..48", "--vram", up_to_hundred);
  CHECK(range.contains(16));
  CHECK(range.contains(48));
  CHECK_FALSE(range.contains(15.999));
  CHECK_FALSE(range.contains(48.001));
}

TEST_CASE("a duration is shown in two parts at most") {
  const auto [seconds, text] = GENERATE(values<Shown>({{0, "0s"},
                                                       {-5, "0s"},
                                                       {0.3, "300ms"},
                                                       {4.2, "4.2s"},
                                                       {30, "30s"},
                                                       {59.6, "1m"},
                                                       {90, "1m 30s"},
                                                       {119.7, "2m"},
                                                       {599.7, "10m"},
                                                       {2400, "40m"},
                                                       {3599, "1h"},
                                                       {5400, "1h 30m"},
                                                       {36000, "10h"},
                                                       {86399, "1d"},
                                                       {100800, "1d 4h"},
                                                       {8640000, "100d"}}));
  CAPTURE(seconds);
  CHECK(duration_text(Seconds(seconds)) == text);
}

TEST_CASE("an amount of audio is shown in hours, however much") {
  const auto [seconds, text] = GENERATE(values<Shown>(
      {{90, "1m 30s"}, {2400, "40m"}, {5400, "1h 30m"}, {360000, "100h"}, {3594, "1h"}}));
  CAPTURE(seconds);
  CHECK(audio_text(Seconds(seconds)) == text);
}

TEST_CASE("an amount of money has cents and separated thousands") {
  const auto [usd, text] = GENERATE(values<Shown>({{0, "0.00"},
                                                   {0.005, "0.01"},
                                                   {12.3, "12.30"},
                                                   {999.99, "999.99"},
                                                   {1234.5, "1,234.50"},
                                                   {1234567.891, "1,234,567.89"},
                                                   {-123.4, "-123.40"},
                                                   {-1234.5, "-1,234.50"}}));
  CAPTURE(usd);
  CHECK(money_text(Usd(usd)) == text);
}

TEST_CASE("a rate below ten cents keeps its third decimal") {
  CHECK(rate_text(UsdPerHour(0.034)) == "0.034");
  CHECK(rate_text(UsdPerHour(1.239)) == "1.24");
}

TEST_CASE("a number is shown in the shortest form that reads back") {
  const auto [value, text] =
      GENERATE(values<Shown>({{24, "24"}, {0.125, "0.125"}, {0.1, "0.1"}, {1e30, "1e+30"}}));
  CHECK(number_text(value) == text);
}
