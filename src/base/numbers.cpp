#include "base/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view given,
                         const std::string& allowed) {
  throw Error(ExitCode::usage, "bad-value",
              fmt::format("{}: '{}' is not possible", what, printable(given, 60)), allowed);
}

// A plain decimal number at the start of `text`, which it is taken off. No
// "nan", no "inf", no hexadecimal.
std::optional<double> take_number(std::string_view& text) {
  std::string_view digits = text;
  const bool plus = digits.starts_with('+');
  if (plus) digits.remove_prefix(1);
  const std::size_t sign = !plus && digits.starts_with('-') ? 1 : 0;
  if (digits.size() <= sign) return std::nullopt;
  const char first = digits[sign];
  if (first != '.' && (first < '0' || first > '9')) return std::nullopt;
  double value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool within(double value, Bounds bounds) {
  return std::isfinite(value) && value >= bounds.low && value <= bounds.high;
}

struct UnitName {
  std::string_view name;
  double factor;
};

constexpr std::array duration_units{
    UnitName{"ms", 0.001}, UnitName{"s", 1},     UnitName{"sec", 1},
    UnitName{"m", 60},     UnitName{"min", 60},  UnitName{"h", 3600},
    UnitName{"hr", 3600},  UnitName{"d", 86400}, UnitName{"w", 604800}};
constexpr std::array size_units{
    UnitName{"b", 1},         UnitName{"kb", 1e3},         UnitName{"mb", 1e6},
    UnitName{"gb", 1e9},      UnitName{"tb", 1e12},        UnitName{"kib", 1024},
    UnitName{"mib", 1048576}, UnitName{"gib", 1073741824}, UnitName{"tib", 1099511627776}};

template <std::size_t N>
std::optional<double> take_unit(std::string_view& text, const std::array<UnitName, N>& units) {
  std::size_t letters = 0;
  while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters])) != 0)
    ++letters;
  const std::string name = lower(text.substr(0, letters));
  for (const UnitName& unit : units) {
    if (unit.name != name) continue;
    text.remove_prefix(letters);
    return unit.factor;
  }
  return std::nullopt;
}

}  // namespace

double parse_number(std::string_view text, std::string_view what, Bounds bounds) {
  std::string_view rest = trimmed(text);
  const std::optional<double> value = take_number(rest);
  if (!value || !rest.empty() || !within(*value, bounds))
    refuse(
        what, text,
        fmt::format("a number from {} to {}", number_text(bounds.low), number_text(bounds.high)));
  return *value;
}

long parse_integer(std::string_view text, std::string_view what, Bounds bounds) {
  std::string_view rest = trimmed(text);
  const std::optional<double> value = take_number(rest);
  if (!value || !rest.empty() || !within(*value, bounds) || std::floor(*value) != *value)
    refuse(what, text,
           fmt::format("a whole number from {} to {}", number_text(bounds.low),
                       number_text(bounds.high)));
  return static_cast<long>(*value);
}

Seconds parse_duration(std::string_view text, std::string_view what, Bounds seconds) {
  std::string_view rest = trimmed(text);
  const std::string allowed =
      fmt::format("a duration such as 300ms, 90s, 40m, 10h or 1h30m, from {} to {}",
                  audio_text(Seconds(seconds.low)), audio_text(Seconds(seconds.high)));
  double total = 0;
  double last_factor = std::numeric_limits<double>::infinity();
  if (rest.empty()) refuse(what, text, allowed);
  while (!rest.empty()) {
    const std::optional<double> value = take_number(rest);
    if (!value || *value < 0) refuse(what, text, allowed);
    const std::optional<double> factor = take_unit(rest, duration_units);
    // Large units first, each once: "1h30m", not "30m1h" or "1h1h".
    if (!factor || *factor >= last_factor) refuse(what, text, allowed);
    last_factor = *factor;
    total += *value * *factor;
  }
  if (!within(total, seconds)) refuse(what, text, allowed);
  return Seconds(total);
}

Bytes parse_size(std::string_view text, std::string_view what, Bounds bytes) {
  std::string_view rest = trimmed(text);
  const std::string allowed =
      fmt::format("a size such as 500MB, 1GB (10^9 bytes) or 1GiB (2^30), from {} to {} GB",
                  number_text(bytes.low / 1e9), number_text(bytes.high / 1e9));
  const std::optional<double> value = take_number(rest);
  if (!value) refuse(what, text, allowed);
  const std::optional<double> factor =
      *value == 0 && rest.empty() ? 1 : take_unit(rest, size_units);
  if (!factor || !rest.empty() || !within(*value * *factor, bytes)) refuse(what, text, allowed);
  return Bytes(*value * *factor);
}

double parse_share(std::string_view text, std::string_view what, Bounds bounds) {
  std::string_view rest = trimmed(text);
  const std::string allowed = fmt::format("a share from {}% to {}%", number_text(bounds.low * 100),
                                          number_text(bounds.high * 100));
  std::optional<double> value = take_number(rest);
  if (value && rest == "%") {
    *value /= 100;
    rest = {};
  }
  if (!value || !rest.empty() || !within(*value, bounds)) refuse(what, text, allowed);
  return *value;
}

OpenRange parse_range(std::string_view text, std::string_view what, Bounds bounds,
                      std::string_view unit) {
  const std::string allowed = fmt::format("N{0}, N{0}..M{0}, N{0}.. or ..M{0}, from {1} to {2}",
                                          unit, number_text(bounds.low), number_text(bounds.high));
  const auto end_of = [&](std::string_view part) -> std::optional<double> {
    std::string_view rest = trimmed(part);
    if (rest.empty()) return std::nullopt;
    const std::optional<double> value = take_number(rest);
    const std::string suffix = lower(rest);
    if (!value || !within(*value, bounds) || (!suffix.empty() && suffix != lower(unit)))
      refuse(what, text, allowed);
    return value;
  };
  const std::size_t dots = text.find("..");
  OpenRange range;
  if (dots == std::string_view::npos) {
    range.low = range.high = end_of(text);
  } else {
    range.low = end_of(text.substr(0, dots));
    range.high = end_of(text.substr(dots + 2));
  }
  if ((!range.low && !range.high) || (range.low && range.high && *range.low > *range.high))
    refuse(what, text, allowed);
  return range;
}

std::string duration_text(Seconds duration) {
  const double s = duration.count();
  if (s <= 0) return "0s";
  if (s < 0.9995) return fmt::format("{:.0f}ms", s * 1000);
  if (s < 59.5)
    return std::abs(s - std::round(s)) < 0.05 ? fmt::format("{:.0f}s", s)
                                              : fmt::format("{:.1f}s", s);
  const double whole_minutes = std::round(s / 60);
  if (whole_minutes < 60) {
    const double rest = s - std::floor(s / 60) * 60;
    if (s < 600 && rest >= 0.5 && std::round(rest) < 60)
      return fmt::format("{:.0f}m {:.0f}s", std::floor(s / 60), rest);
    return fmt::format("{:.0f}m", whole_minutes);
  }
  if (whole_minutes < 24 * 60) {
    const double rest = whole_minutes - std::floor(whole_minutes / 60) * 60;
    const double whole_hours = std::floor(whole_minutes / 60);
    return rest == 0 ? fmt::format("{:.0f}h", whole_hours)
                     : fmt::format("{:.0f}h {:.0f}m", whole_hours, rest);
  }
  const double whole_hours = std::round(s / 3600);
  const double days = std::floor(whole_hours / 24);
  const double rest = whole_hours - days * 24;
  return rest == 0 || days >= 30 ? fmt::format("{:.0f}d", days)
                                 : fmt::format("{:.0f}d {:.0f}h", days, rest);
}

std::string audio_text(Seconds duration) {
  const double whole_minutes = std::round(duration.count() / 60);
  if (whole_minutes < 60) return duration_text(duration);
  const double whole_hours = std::floor(whole_minutes / 60);
  const double rest = whole_minutes - whole_hours * 60;
  return rest == 0 ? fmt::format("{:.0f}h", whole_hours)
                   : fmt::format("{:.0f}h {:.0f}m", whole_hours, rest);
}

std::string money_text(Usd amount) {
  std::string text = fmt::format("{:.2f}", amount.count());
  const std::size_t point = text.find('.');
  for (std::size_t i = point; i > 3 && text[i - 4] != '-'; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string rate_text(UsdPerHour rate) {
  return fmt::format("{:.{}f}", rate.count(), rate.count() < 0.1 ? 3 : 2);
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace vcgpu
