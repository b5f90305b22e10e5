// Any bytes as a user's measurements: either rows, or an Error. Never a crash, a
// hang or another exception.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catalog/measurement.hpp"
#include "vcgpu/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto rows = vcgpu::read_measurements({"fuzz.csv", std::string(data, data + size)});
    for (const vcgpu::Measurement& row : rows) {
      if (!(row.batch > 0) || !std::isfinite(row.batch) || !(row.peak.count() > 0)) std::abort();
    }
  } catch (const vcgpu::Error&) {
  }
  return 0;
}
