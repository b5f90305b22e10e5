// Quantities with their unit in the type.
//
// Mixing GiB (2^30 bytes) and GB (10^9 bytes), or dollars and dollars per
// hour, is the most common error of sizing tools. So a plain number enters and
// leaves a quantity only through a function that names the unit; arithmetic
// that makes no physical sense does not compile. All are doubles inside: byte
// counts stay exact up to 2^53.
#pragma once

#include <cmath>
#include <compare>
#include <optional>
#include <utility>

namespace vcgpu {

template <class Unit>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double count) : m_count(count) {}

  // The number of base units: bytes, dollars, dollars per hour, seconds.
  [[nodiscard]] constexpr double count() const { return m_count; }

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  constexpr Quantity& operator+=(Quantity other) {
    m_count += other.m_count;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.m_count + b.m_count);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.m_count - b.m_count);
  }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity(a.m_count * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity(a.m_count / divisor);
  }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.m_count / b.m_count; }

 private:
  double m_count = 0;
};

using Bytes = Quantity<struct BytesUnit>;
using Usd = Quantity<struct UsdUnit>;
using UsdPerHour = Quantity<struct UsdPerHourUnit>;
using Seconds = Quantity<struct SecondsUnit>;

constexpr Bytes gib(double n) { return Bytes(n * 1073741824.0); }
constexpr Bytes mib(double n) { return Bytes(n * 1048576.0); }
constexpr Bytes gb(double n) { return Bytes(n * 1e9); }
constexpr double in_gib(Bytes b) { return b.count() / 1073741824.0; }
constexpr double in_gb(Bytes b) { return b.count() / 1e9; }

constexpr Seconds hours(double n) { return Seconds(n * 3600.0); }
constexpr Seconds minutes(double n) { return Seconds(n * 60.0); }
constexpr double in_hours(Seconds s) { return s.count() / 3600.0; }

constexpr Usd operator*(UsdPerHour rate, Seconds time) {
  return Usd(rate.count() * in_hours(time));
}

// An estimate that admits what it does not know. low and high are the 5th and
// 95th percentile, so that "the high end fits" means a 5 % chance that it does
// not. low <= expected <= high.
template <class T>
struct Range {
  T low{};
  T expected{};
  T high{};

  friend constexpr bool operator==(const Range&, const Range&) = default;
  friend constexpr Range operator+(const Range& a, const Range& b) {
    return {a.low + b.low, a.expected + b.expected, a.high + b.high};
  }
  // The range of function(x), for a function that does not decrease.
  template <class Function>
  [[nodiscard]] constexpr auto map(Function function) const {
    return Range<decltype(function(low))>{function(low), function(expected), function(high)};
  }
};

// The 95th percentile of the standard normal distribution.
inline constexpr double percentile_95_z = 1.6448536269514722;

// A log-normal range around `expected` with standard deviation `sigma` of the
// logarithm.
template <class T>
Range<T> log_normal_range(T expected, double sigma) {
  const double spread = std::exp(percentile_95_z * sigma);
  return {expected / spread, expected, expected * spread};
}

// Accepts numbers from low to high, both included; open on a side that is
// absent.
struct OpenRange {
  std::optional<double> low;
  std::optional<double> high;
  [[nodiscard]] bool contains(double value) const {
    return (!low || value >= *low) && (!high || value <= *high);
  }
};

}  // namespace vcgpu
