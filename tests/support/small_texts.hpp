// The JSON texts of a catalog of two GPUs, one provider and no model: quick to
// read, for tests of reading.
#pragma once

#include <string>
#include <vector>

#include "catalog/load.hpp"

namespace vcgpu::test {

inline const std::string small_gpus_text = R"({
  "schema_version": 1,
  "as_of": "2026-11-01",
  "gpus": [
    {
      "id": "one-24gb",
      "name": "Card One",
      "aliases": ["one"],
      "vendor": "nvidia",
      "architecture": "Ampere",
      "compute_capability": "8.6",
      "form": "consumer",
      "memory_gb": 24,
      "usable_gib": 23.5,
      "bandwidth_gb_s": 936,
      "fp16_tflops": 71.2,
      "mig": [
        { "profile": "1g.5gb", "memory_gb": 5, "compute_slices": 1, "total_compute_slices": 7,
          "memory_fraction": 0.125, "max_instances": 7 }
      ],
      "sources": ["test"],
      "as_of": "2026-11-01",
      "notes": "a note"
    },
    {
      "id": "two-8gb",
      "name": "Card Two",
      "vendor": "nvidia",
      "architecture": "Pascal",
      "form": "consumer",
      "memory_gb": 8,
      "usable_gib": 7.9,
      "bandwidth_gb_s": 320,
      "sources": ["test"],
      "as_of": "2026-11-01"
    }
  ]
})";

inline const std::string small_providers_text = R"({
  "schema_version": 1,
  "as_of": "2026-11-02",
  "providers": [
    {
      "id": "alpha",
      "name": "Alpha Cloud",
      "billing_granularity_s": 60,
      "storage": { "usd_per_gb_month": 0.1 },
      "spot": { "offered": true, "notice_s": 30 },
      "reliability": 3,
      "reliability_reason": "a reason",
      "source": "test",
      "as_of": "2026-11-02",
      "offers": [
        { "sku": "a", "gpu": "one-24gb", "gpu_count": 1, "regions": ["eu"], "pricing": "on-demand",
          "tier": "standard", "usd_per_hour": 0.5, "source": "test", "as_of": "2026-11-02" }
      ],
      "market": [
        { "statistic": "median", "gpu": "one-24gb", "gpu_count": 1, "usd_per_hour": 0.4,
          "source": "test", "as_of": "2026-11-02" }
      ]
    }
  ],
  "market_reference": [
    { "gpu": "one-24gb", "offers": 1, "providers": 1, "usd_per_gpu_hour": { "median": 0.5 },
      "newest_as_of": "2026-11-02" }
  ]
})";

inline const std::string no_models_text =
    R"({ "schema_version": 1, "as_of": "2026-11-03", "models": [] })";

// The assumptions are the embedded ones.
inline std::vector<JsonText> small_texts() {
  return {embedded_texts().front(),
          {"gpus.json", small_gpus_text},
          {"models.json", no_models_text},
          {"providers.json", small_providers_text}};
}

}  // namespace vcgpu::test
