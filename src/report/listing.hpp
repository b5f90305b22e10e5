// The documents of gpus, models, providers and offers: `list` makes a flat row
// of each entry, with null where something is not known, so that all rows have
// the same keys; `show` makes the complete entry (src/report/entry_json.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "report/price_summary.hpp"
#include "report/records.hpp"
#include "vcgpu/workload.hpp"

namespace vcgpu {

struct Listing {
  std::string command;  // "gpus list"
  Json results = Json::array();
  std::size_t total = 0;                         // before the limit
  std::map<std::string, std::size_t> refused{};  // entries left out, by filter
  std::vector<Warning> warnings{};
};

// data/schema/listing.schema.json.
Json listing_document(Listing listing, const CatalogInfo& catalog);

// Rows of `list`. Prices are marked with their age on `today`.
Json gpu_row(const Gpu& gpu, const PriceSummary& prices, Day today);
Json voice_model_row(const VoiceModel& model);
Json provider_row(const Provider& provider);
// An offer of show has the same keys as a row, and all that are known besides.
Json offer_row(const Provider& provider, const Offer& offer, Day today);
Json market_price_row(const Provider& provider, const MarketPrice& price, Day today);

// Entries of `show`: the catalog's, and what follows from it.
Json gpu_detail(const Gpu& gpu, const PriceSummary& prices, const MarketReference* market,
                Day today);
Json offer_detail(const Provider& provider, const Offer& offer, Day today);

// "runpod/SECURE:rtx-4090-24gb": what `offers show` takes. Offers that differ
// in pricing, tier or region alone share it.
std::string offer_id(const Provider& provider, const Offer& offer);

// "8x h100-sxm-80gb", "1/6 of a10-24gb".
std::string counted_gpu(double count, const std::string& gpu);

// Tasks that the catalog knows a recipe or an inference profile for.
std::vector<Task> tasks_of(const VoiceModel& model);

// Every top-level key of the entries that holds no object or list of objects:
// what csv and markdown show of a complete entry.
std::vector<std::string> flat_columns(const Json& results);

}  // namespace vcgpu
