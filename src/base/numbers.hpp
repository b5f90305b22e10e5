// Numbers, durations, sizes and ranges as people write them on a command line,
// and back. Every parser throws Error (usage) that names what was given and
// the forms and the range that are allowed.
#pragma once

#include <string>
#include <string_view>

#include "vcgpu/units.hpp"

namespace vcgpu {

// Inclusive bounds for what a flag accepts.
struct Bounds {
  double low;
  double high;
};

// `what` names the flag in the error: "--batch-size".
double parse_number(std::string_view text, std::string_view what, Bounds bounds);
long parse_integer(std::string_view text, std::string_view what, Bounds bounds);

// "90s", "40m", "10h", "1h30m", "300ms", "2d"; a bare number is an error,
// because nobody agrees on its unit.
Seconds parse_duration(std::string_view text, std::string_view what, Bounds seconds);

// "1GB" (10^9), "1GiB" (2^30), "500MB", "500MiB".
Bytes parse_size(std::string_view text, std::string_view what, Bounds bytes);

// "5%" or "0.05".
double parse_share(std::string_view text, std::string_view what, Bounds bounds);

// "16..48", "16..", "..48" or "24"; `unit` is dropped from either end where
// given ("16GB..48GB").
OpenRange parse_range(std::string_view text, std::string_view what, Bounds bounds,
                      std::string_view unit = {});

// "1h 30m", "40m", "4.2s", "3.1 d": two significant parts at most.
std::string duration_text(Seconds duration);

// An amount of audio, in hours however much: "900h", "1h 30m".
std::string audio_text(Seconds duration);

// 1234.5 -> "1,234.50"; at least `decimals` after the point.
std::string money_text(Usd amount);
std::string rate_text(UsdPerHour rate);

// The shortest form that reads back as the same number: 24, 0.125, 1e+09.
std::string number_text(double value);

}  // namespace vcgpu
