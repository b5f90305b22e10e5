// Any bytes as reports: either reports that can be judged, or an Error. Never a
// crash, a hang, another exception or an absurd number.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catalog/evidence_source.hpp"
#include "vcgpu/accuracy.hpp"
#include "vcgpu/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const vcgpu::Catalog catalog = vcgpu::load_catalog({});
  try {
    const auto reports = vcgpu::read_evidence({"fuzz.jsonl", std::string(data, data + size)});
    const auto judgements = vcgpu::judge_evidence(reports, catalog);
    for (const vcgpu::Judgement& judgement : judgements) {
      if (judgement.fit && !std::isfinite(judgement.predicted.expected.count())) std::abort();
      if (judgement.fit && !(judgement.predicted.expected.count() > 0)) std::abort();
    }
    (void)vcgpu::score(judgements);
  } catch (const vcgpu::Error&) {
  }
  return 0;
}
