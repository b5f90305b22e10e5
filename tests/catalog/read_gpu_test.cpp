#include <optional>
#include <string>

#include "catalog/readers.hpp"
#include "support/catch.hpp"

using namespace vcgpu;

TEST_CASE("a compute capability has a major and a minor part") {
  CHECK(parse_compute_capability("8.9") == ComputeCapability{8, 9});
  CHECK(parse_compute_capability("12.0") == ComputeCapability{12, 0});
}

TEST_CASE("what is no compute capability is none") {
  const auto text = GENERATE(
      values<std::string>({"", "8", "8.", ".9", "-8.9", "8.-9", "8.9x", "8.9.1", "eight", "8,9"}));
  CAPTURE(text);
  CHECK(parse_compute_capability(text) == std::nullopt);
}

TEST_CASE("compute capabilities are ordered as versions") {
  CHECK(ComputeCapability{8, 9} < ComputeCapability{12, 0});
  CHECK(ComputeCapability{8, 6} < ComputeCapability{8, 9});
}
