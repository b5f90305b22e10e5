// Any text as every kind of number, name and thing to print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/date.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/error.hpp"

namespace {

template <class Parse>
void attempt(Parse parse) {
  try {
    parse();
  } catch (const vcgpu::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vcgpu;
  const std::string text(data, data + size);
  attempt([&] {
    if (const double value = parse_number(text, "--x", {0, 1e6}); !(value >= 0 && value <= 1e6))
      std::abort();
  });
  attempt([&] { (void)parse_integer(text, "--x", {-5, 1e6}); });
  attempt([&] {
    if (const double s = parse_duration(text, "--x", {0.1, 1e6}).count(); !(s >= 0.1 && s <= 1e6))
      std::abort();
  });
  attempt([&] { (void)parse_size(text, "--x", {0, 1e13}); });
  attempt([&] { (void)parse_share(text, "--x", {0, 1}); });
  attempt([&] { (void)parse_range(text, "--x", {0, 1e4}, "GB"); });
  (void)parse_date(text);
  const std::string shown = printable(text, 100);
  for (const char c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
  }
  if (display_width(fitted(shown, 17)) != 17) std::abort();
  (void)wrapped(shown, 10);
  const std::string names[] = {"recommend", "rtx-4090-24gb", ""};
  (void)did_you_mean(text, names);
  return 0;
}
