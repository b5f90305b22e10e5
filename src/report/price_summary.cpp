#include "report/price_summary.hpp"

namespace vcgpu {

namespace {

bool is_cheaper(const Offer& offer, const Offer* than) {
  return than == nullptr || usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count) <
                                usd_per_gpu_hour(than->usd_per_hour, than->gpu_count);
}

}  // namespace

UsdPerHour usd_per_gpu_hour(UsdPerHour instance, double gpu_count) { return instance / gpu_count; }

std::map<std::string, PriceSummary> summarise_prices(const Catalog& catalog,
                                                     const std::optional<OpenRange>& gpu_count) {
  const double min_reliability = catalog.assumptions().prices.min_host_reliability;
  std::map<std::string, PriceSummary> summaries;
  std::map<std::string, const Provider*> last_provider;
  for (const Provider& provider : catalog.providers()) {
    for (const Offer& offer : provider.offers) {
      if (gpu_count && !gpu_count->contains(offer.gpu_count)) continue;
      PriceSummary& summary = summaries[offer.gpu];
      ++summary.offers;
      const Provider*& last = last_provider[offer.gpu];
      if (last != &provider) ++summary.providers;
      last = &provider;
      if (offer.pricing != "on-demand" || offer.host_reliability.value_or(1) < min_reliability ||
          !is_cheaper(offer, summary.cheapest))
        continue;
      summary.provider = &provider;
      summary.cheapest = &offer;
    }
  }
  return summaries;
}

}  // namespace vcgpu
