// What renting a GPU starts at, over the offers of a catalog.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "vcgpu/catalog.hpp"

namespace vcgpu {

struct PriceSummary {
  std::size_t offers = 0;
  std::size_t providers = 0;
  // The lowest on-demand price per GPU-hour, hosts aside that recommend leaves
  // out for their uptime; null where there is none.
  const Provider* provider = nullptr;
  const Offer* cheapest = nullptr;
};

// The price of the whole instance, divided by its GPUs.
UsdPerHour usd_per_gpu_hour(UsdPerHour instance, double gpu_count);

// By GPU id, in one pass over the offers; of instances with `gpu_count` GPUs
// where that is given. A GPU without offers is absent.
std::map<std::string, PriceSummary> summarise_prices(const Catalog& catalog,
                                                     const std::optional<OpenRange>& gpu_count);

}  // namespace vcgpu
