// Catalog entries as JSON: the same key names and units as in data/*.json, so
// that what `show` prints can be copied into an overlay. What the catalog does
// not know is absent, and so is what is its reader's default.
#pragma once

#include "catalog/json_source.hpp"
#include "vcgpu/gpu.hpp"
#include "vcgpu/provider.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

Json gpu_entry(const Gpu& gpu);
Json provider_entry(const Provider& provider);  // with its offers and market prices
Json offer_entry(const Offer& offer);
Json market_price_entry(const MarketPrice& price);
Json market_reference_entry(const MarketReference& reference);
Json voice_model_entry(const VoiceModel& model);

// "8.9".
std::string capability_text(const ComputeCapability& capability);

}  // namespace vcgpu
