// What the user accepts, as a list of small predicates.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vcgpu/recommend.hpp"

namespace vcgpu {

struct FilterMiss {
  std::string code;  // of the filter: "gpu", "provider", ...
  std::string message;
  std::string fix;        // the flag that would let it in
  double distance = 1e9;  // as in Rejection
};

// Whether `wanted` stands in the region's name at the start of a word: "us" in
// "us-east-1" and "Texas-US", not in "Australia".
bool region_matches(std::string_view region, std::string_view wanted);

// Why the filter refuses the hardware or the offer; nothing where it accepts.
std::optional<FilterMiss> refuses(const OfferFilter& filter, const Gpu& gpu, double count);
std::optional<FilterMiss> refuses(const OfferFilter& filter, const Provider& provider,
                                  const Offer& offer, int age_days);

}  // namespace vcgpu
