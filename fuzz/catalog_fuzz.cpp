// Any bytes as an overlay over the embedded catalog: either a Catalog that holds
// its invariants, or an Error. Never a crash, a hang or another exception.
#include <cstddef>
#include <cstdint>
#include <string>

#include "catalog/load.hpp"
#include "vcgpu/catalog.hpp"
#include "vcgpu/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<vcgpu::JsonText> base = vcgpu::embedded_texts();
  const vcgpu::JsonText overlay{"overlay.json", std::string(data, data + size)};
  try {
    // Strict parsing first: most inputs end here, and the whole catalog is slow.
    (void)vcgpu::parse_source(overlay, vcgpu::ExitCode::bad_catalog);
    (void)vcgpu::Catalog(vcgpu::read_catalog_parts(base, {overlay}, "fuzz"));
  } catch (const vcgpu::Error&) {
  }
  return 0;
}
