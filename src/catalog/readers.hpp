// From JSON to catalog entries: one function per kind of entry.
#pragma once

#include <string_view>

#include "catalog/json_source.hpp"
#include "vcgpu/assumptions.hpp"
#include "vcgpu/gpu.hpp"
#include "vcgpu/provider.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

Gpu read_gpu(const JsonNode& node);
Provider read_provider(const JsonNode& node);
MarketReference read_market_reference(const JsonNode& node);
VoiceModel read_voice_model(const JsonNode& node);
Assumptions read_assumptions(const JsonNode& node);

// "8.9"; nothing where `text` is no compute capability.
std::optional<ComputeCapability> parse_compute_capability(std::string_view text);

}  // namespace vcgpu
