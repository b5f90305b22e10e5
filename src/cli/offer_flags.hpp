// The flags that say which hardware and offers are acceptable.
#pragma once

#include <string>

#include "cli/common.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu::cli {

struct HardwareFlags {
  std::optional<std::string> gpu, vram, gpu_count, vendor, arch, compute_capability;
};

struct OfferFlags {
  std::optional<std::string> provider, exclude_provider, region, pricing, tier, max_hourly, budget,
      deadline, min_reliability, max_age;
  std::optional<std::string> sort, limit, per;
  bool pareto = false;
  bool explain = false;
  bool show_rejected = false;
};

void add_hardware_flags(CLI::App& command, HardwareFlags& flags);
void add_offer_flags(CLI::App& command, OfferFlags& flags);

// Names become ids by the catalog. Throws Error (usage).
void read(const HardwareFlags& flags, const Catalog& catalog, OfferFilter& filter);
RecommendOptions read(const OfferFlags& flags, const Catalog& catalog);

// "--gpu": ids of cards; sizes and "all" stay as they are.
std::vector<std::string> parse_gpus(const std::string& text, const Catalog& catalog);

}  // namespace vcgpu::cli
