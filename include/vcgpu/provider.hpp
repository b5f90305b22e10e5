// Who rents GPUs, and for how much (data/providers.json).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vcgpu/units.hpp"

namespace vcgpu {

// Something that can be rented as it stands. The price is for the whole
// instance, host included.
struct Offer {
  std::string sku;
  std::string gpu;       // id
  double gpu_count = 1;  // below 1: a slice of a card
  std::optional<double> vcpus, ram_gib, disk_gb;
  std::vector<std::string> regions;
  std::string pricing;       // on-demand, spot, reserved-1y, ..., serverless
  std::string tier;          // community, secure, standard
  std::string interconnect;  // sxm, nvlink, pcie; empty: not stated
  UsdPerHour usd_per_hour;
  std::string currency;                    // of the source
  std::optional<double> host_reliability;  // 0 to 1, marketplaces
  std::string source;
  std::string as_of;
  std::string note;
};

// A price that was seen but cannot be rented as it stands: a statistic, an
// implausible host, a GPU without its host. Never ranked.
struct MarketPrice {
  std::string statistic;
  std::string gpu;
  double gpu_count = 1;
  std::string region, pricing, tier;
  UsdPerHour usd_per_hour;
  std::string source;
  std::string as_of;
  std::string note;
};

struct Storage {
  std::optional<double> usd_per_gb_month;
  std::optional<double> usd_per_gb_month_stopped;
  std::optional<double> included_gb;
  std::string note;
};

struct Spot {
  std::optional<bool> offered;
  std::optional<double> notice_s;
  std::string note;
};

// Facts that are not known are absent: an unknown price is never zero.
struct Provider {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
  std::string kind;
  std::optional<double> billing_granularity_s, minimum_charge_s;
  Storage storage;
  std::optional<double> egress_usd_per_gb;
  Spot spot;
  std::optional<double> reserved_discount_percent_1y;
  std::string reserved_note;
  std::optional<double> sla_uptime_percent;
  std::optional<int> ease, reliability;  // 1 to 5
  std::string ease_reason, reliability_reason;
  std::vector<std::string> tiers;
  std::string tiers_note, regions_note, docker, launch_hint;
  std::vector<std::string> general_knowledge;  // facts that rest on it
  std::string source;
  std::string as_of;
  std::vector<Offer> offers;
  std::vector<MarketPrice> market;
};

// What a GPU-hour costs across providers: the yardstick for a price's sanity.
struct MarketReference {
  std::string gpu;
  int offers = 0;
  int providers = 0;
  std::optional<double> min_usd, min_list_usd, median_usd, max_usd, min_spot_usd;
  std::string newest_as_of;
};

}  // namespace vcgpu
