#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/card.hpp"
#include "report/listing.hpp"

namespace vcgpu {

namespace {

constexpr auto right = TextColumn::Align::right;
constexpr auto left = TextColumn::Align::left;

std::string with_note(const std::string& fact, const std::string& note) {
  if (fact.empty() || note.empty()) return fact + note;
  return fact + "; " + note;
}

std::string usd_text(const std::optional<double>& usd, std::string_view unit) {
  return usd ? fmt::format("${} per {}", number_text(*usd), unit) : "";
}

std::string billing_text(const Provider& provider) {
  std::vector<std::string> parts;
  if (provider.billing_granularity_s)
    parts.push_back("in steps of " + duration_text(Seconds(*provider.billing_granularity_s)));
  if (provider.minimum_charge_s)
    parts.push_back(*provider.minimum_charge_s == 0
                        ? "no minimum"
                        : "at least " + duration_text(Seconds(*provider.minimum_charge_s)));
  return joined(parts);
}

std::string storage_text(const Storage& storage) {
  std::vector<std::string> parts;
  if (storage.usd_per_gb_month) parts.push_back(usd_text(storage.usd_per_gb_month, "GB-month"));
  if (storage.usd_per_gb_month_stopped)
    parts.push_back(usd_text(storage.usd_per_gb_month_stopped, "GB-month while stopped"));
  if (storage.included_gb)
    parts.push_back(fmt::format("{} GB included", number_text(*storage.included_gb)));
  return with_note(joined(parts), storage.note);
}

std::string spot_text(const Spot& spot) {
  std::string text = spot.offered ? (*spot.offered ? "offered" : "not offered") : "";
  if (spot.notice_s)
    text += fmt::format("{}{} notice", text.empty() ? "" : ", ",
                        *spot.notice_s == 0 ? "no" : duration_text(Seconds(*spot.notice_s)));
  return with_note(text, spot.note);
}

std::string reserved_text(const Provider& provider) {
  const auto& percent = provider.reserved_discount_percent_1y;
  return with_note(percent ? fmt::format("{} % off for a year", number_text(*percent)) : "",
                   provider.reserved_note);
}

std::string of_five(const std::optional<int>& grade, const std::string& reason) {
  return grade ? with_note(fmt::format("{} of 5", *grade), reason) : "not known";
}

struct GpuOffers {
  std::size_t count = 0;
  UsdPerHour lowest{1e9}, highest{0};
  std::vector<std::string> pricing;
  std::string newest;
};

// A provider may have hundreds of offers: one line a GPU.
TextRows offer_rows(const Provider& provider) {
  std::map<std::string, GpuOffers> by_gpu;
  for (const Offer& offer : provider.offers) {
    GpuOffers& gpu = by_gpu[offer.gpu];
    const UsdPerHour rate = usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count);
    ++gpu.count;
    gpu.lowest = std::min(gpu.lowest, rate);
    gpu.highest = std::max(gpu.highest, rate);
    gpu.newest = std::max(gpu.newest, offer.as_of);
    if (std::find(gpu.pricing.begin(), gpu.pricing.end(), offer.pricing) == gpu.pricing.end())
      gpu.pricing.push_back(offer.pricing);
  }
  TextRows rows;
  for (const auto& [id, gpu] : by_gpu)
    rows.push_back({id, std::to_string(gpu.count), rate_text(gpu.lowest), rate_text(gpu.highest),
                    joined(gpu.pricing), gpu.newest});
  return rows;
}

}  // namespace

std::string provider_card(const Provider& provider, const CardContext& context) {
  Card card(*context.style, provider.name, provider.id);
  card.field("also", joined(provider.aliases))
      .section("Terms")
      .field("kind", provider.kind)
      .field("billing", billing_text(provider))
      .field("storage", storage_text(provider.storage))
      .field("egress", provider.egress_usd_per_gb == 0.0
                           ? "free"
                           : usd_text(provider.egress_usd_per_gb, "GB"))
      .field("spot", spot_text(provider.spot))
      .field("reserved", reserved_text(provider))
      .field("tiers", with_note(joined(provider.tiers), provider.tiers_note))
      .field("regions", provider.regions_note);
  if (provider.sla_uptime_percent)
    card.field("SLA", fmt::format("{} % uptime", number_text(*provider.sla_uptime_percent)));
  card.section("Use")
      .field("reliability", of_five(provider.reliability, provider.reliability_reason))
      .field("ease", of_five(provider.ease, provider.ease_reason))
      .field("Docker", provider.docker)
      .field("launch", provider.launch_hint);
  card.section(fmt::format("Offers: {}, in USD per GPU-hour", provider.offers.size()))
      .table({{"gpu", left, 0, true},
              {"offers", right},
              {"from", right},
              {"to", right},
              {"pricing", left, 2},
              {"newest", left, 1}},
             offer_rows(provider));
  if (provider.offers.empty()) card.item("none known: this provider is never ranked");
  if (!provider.market.empty())
    card.item(
        fmt::format("{} market statistics besides, which nobody can rent: vcgpu offers list "
                    "--provider {} --market",
                    provider.market.size(), provider.id));
  return card.section("Where this is from")
      .field("general knowledge", joined(provider.general_knowledge))
      .field("source", provider.source)
      .field("as of", dated_text(provider.as_of, context))
      .take();
}

std::string offer_card(const Provider& provider, const Offer& offer, const CardContext& context) {
  const Gpu* gpu = context.catalog->gpu_with_id(offer.gpu);
  const std::string gpu_text =
      fmt::format("{} ({})", counted_gpu(offer.gpu_count, gpu->name), offer.gpu);
  std::string price = fmt::format("${}/h", rate_text(offer.usd_per_hour));
  if (offer.gpu_count != 1)
    price += fmt::format(", ${} per GPU-hour",
                         rate_text(usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count)));
  if (!offer.currency.empty() && offer.currency != "USD")
    price += fmt::format(" (stated in {})", offer.currency);
  const auto amount = [](const std::optional<double>& value, std::string_view unit) {
    return value ? fmt::format("{} {}", number_text(*value), unit) : "";
  };
  std::vector<std::string> host;
  for (const std::string& part : {amount(offer.vcpus, "vCPU"), amount(offer.ram_gib, "GiB RAM"),
                                  amount(offer.disk_gb, "GB disk")}) {
    if (!part.empty()) host.push_back(part);
  }
  Card card(*context.style, fmt::format("{} {}", provider.name, offer.sku),
            offer_id(provider, offer));
  card.field("price", price)
      .field("pricing", fmt::format("{}, {}", offer.pricing, offer.tier))
      .field("GPU", gpu_text)
      .field("link", offer.interconnect)
      .field("host", joined(host))
      .field("regions", joined(offer.regions));
  if (offer.host_reliability)
    card.field("host uptime", fmt::format("{:.1f} %", *offer.host_reliability * 100));
  return card.field("note", offer.note)
      .field("source", offer.source)
      .field("as of", dated_text(offer.as_of, context))
      .take();
}

}  // namespace vcgpu
