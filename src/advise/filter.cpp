#include "advise/filter.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

template <class T>
bool listed(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool accepts_gpu_name(const OfferFilter& filter, const Gpu& gpu) {
  if (filter.gpus.empty() && filter.memory_sizes_gb.empty()) return true;
  return listed(filter.gpus, gpu.id) || listed(filter.memory_sizes_gb, gpu.memory_gb);
}

bool accepts_capability(const OfferFilter& filter, const Gpu& gpu) {
  if (!filter.min_compute_capability && !filter.max_compute_capability) return true;
  if (!gpu.compute_capability) return false;
  return (!filter.min_compute_capability ||
          *gpu.compute_capability >= *filter.min_compute_capability) &&
         (!filter.max_compute_capability ||
          *gpu.compute_capability <= *filter.max_compute_capability);
}

bool accepts_region(const OfferFilter& filter, const Offer& offer) {
  if (filter.regions.empty()) return true;
  return std::any_of(offer.regions.begin(), offer.regions.end(), [&](const std::string& region) {
    return lower(region) == "any" ||
           std::any_of(filter.regions.begin(), filter.regions.end(),
                       [&](const std::string& wanted) { return region_matches(region, wanted); });
  });
}

bool accepts_pricing(const OfferFilter& filter, const std::string& pricing) {
  if (filter.pricing.empty()) return true;
  return std::any_of(filter.pricing.begin(), filter.pricing.end(), [&](const std::string& wanted) {
    return pricing == wanted || (wanted == "reserved" && pricing.starts_with("reserved-"));
  });
}

FilterMiss miss(const char* code, std::string message, std::string fix = {},
                double distance = 1e9) {
  return {code, std::move(message), std::move(fix), distance};
}

// Lower case, words apart by one space.
std::string words_of(std::string_view text) {
  std::string words = " ";
  for (const char c : lower(text)) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter || words.back() != ' ') words += letter ? c : ' ';
  }
  return words;
}

}  // namespace

bool region_matches(std::string_view region, std::string_view wanted) {
  std::string words = words_of(wanted);
  while (words.ends_with(' ')) words.pop_back();
  return !words.empty() && words_of(region).find(words) != std::string::npos;
}

std::optional<FilterMiss> refuses(const OfferFilter& filter, const Gpu& gpu, double count) {
  if (!accepts_gpu_name(filter, gpu)) return miss("gpu", "not one of --gpu");
  if (filter.vram_gb && !filter.vram_gb->contains(gpu.memory_gb))
    return miss("vram", fmt::format("{} GB is outside --vram", number_text(gpu.memory_gb)));
  if (filter.gpu_count && !filter.gpu_count->contains(count))
    return miss("gpu-count", fmt::format("{} GPUs are outside --gpu-count", number_text(count)));
  if (!filter.vendors.empty() && !listed(filter.vendors, gpu.vendor))
    return miss("vendor", "not of --vendor");
  if (!filter.architectures.empty() &&
      std::none_of(filter.architectures.begin(), filter.architectures.end(),
                   [&](const std::string& a) {
                     return normalised_name(a) == normalised_name(gpu.architecture);
                   }))
    return miss("arch", "not of --arch");
  if (!accepts_capability(filter, gpu))
    return miss("compute-capability", "outside --compute-capability");
  return std::nullopt;
}

std::optional<FilterMiss> refuses(const OfferFilter& filter, const Provider& provider,
                                  const Offer& offer, int age_days) {
  if (!filter.providers.empty() && !listed(filter.providers, provider.id))
    return miss("provider", "not one of --provider", "--provider " + provider.id);
  if (listed(filter.excluded_providers, provider.id))
    return miss("exclude-provider", "excluded by --exclude-provider");
  if (!accepts_region(filter, offer)) return miss("region", "not in --region");
  if (!accepts_pricing(filter, offer.pricing))
    return miss("pricing",
                fmt::format("{} is not one of {}", offer.pricing, joined(filter.pricing)),
                fmt::format("--pricing {},{}", joined(filter.pricing, ","), offer.pricing), 2);
  if (!filter.tiers.empty() && !listed(filter.tiers, offer.tier))
    return miss("tier", "not of --tier", "--tier " + offer.tier);
  if (filter.max_hourly && offer.usd_per_hour > *filter.max_hourly)
    return miss("max-hourly",
                fmt::format("{} USD/h is above --max-hourly", rate_text(offer.usd_per_hour)),
                fmt::format("--max-hourly {:.3f}", offer.usd_per_hour.count()),
                offer.usd_per_hour / *filter.max_hourly);
  if (filter.min_reliability && provider.reliability.value_or(0) < *filter.min_reliability)
    return miss("min-reliability",
                provider.reliability ? fmt::format("reliability {} of 5 is below --min-reliability",
                                                   *provider.reliability)
                                     : std::string("reliability is not known"));
  if (filter.max_age_days && age_days > *filter.max_age_days)
    return miss("max-age", fmt::format("the price is {} days old", age_days),
                fmt::format("--max-age {}d", age_days), 1.0 * age_days / *filter.max_age_days);
  return std::nullopt;
}

}  // namespace vcgpu
