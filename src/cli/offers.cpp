#include <algorithm>
#include <deque>
#include <tuple>

#include <fmt/format.h>

#include "advise/filter.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/offer_flags.hpp"

namespace vcgpu::cli {

namespace {

constexpr std::size_t table_limit = 40;

struct Flags {
  ListingFlags listing;
  HardwareFlags hardware;
  OfferFlags offers;
  std::optional<std::string> sort;
  bool market = false;
};

enum class Order { gpu, usd, provider, age };

// An offer, or a market price in the shape of one.
struct Found {
  const Provider* provider = nullptr;
  const Offer* offer = nullptr;
  const MarketPrice* market = nullptr;  // null: an offer
  int age_days = 0;
};

void add_filters(CLI::App& command, Flags& flags) {
  add_hardware_flags(command, flags.hardware);
  OfferFlags& offers = flags.offers;
  const auto add = [&](const char* flag, std::optional<std::string>& target, const char* help,
                       Repeat repeat = Repeat::override_earlier) {
    add_value(command, flag, target, help, repeat)->group("Offers");
  };
  add("--provider", offers.provider, "only these: a,b", Repeat::join);
  add("--exclude-provider", offers.exclude_provider, "not these: a,b", Repeat::join);
  add("--region", offers.region, "part of a region's name: us,europe", Repeat::join);
  add("--pricing", offers.pricing, "on-demand, spot, reserved, serverless (all)", Repeat::join);
  add("--tier", offers.tier, "community, secure, standard (all)", Repeat::join);
  add("--max-hourly", offers.max_hourly, "USD per hour of one instance at most");
  add("--min-reliability", offers.min_reliability, "of the provider, 1 to 5");
  add("--max-age", offers.max_age, "oldest price: 30d");
  command
      .add_flag("--market", flags.market,
                "market statistics too: prices that were seen, nothing to rent")
      ->group("Offers");
  add_value(command, "--sort", flags.sort, "gpu, usd, provider or age (gpu)")->group("Order");
  add_value(command, "--limit", offers.limit, "rows; 0 for all (40 in tables, else 0)")
      ->group("Order");
}

// Market prices pass the same filters as offers.
Offer as_offer(const MarketPrice& price) {
  Offer offer;
  offer.sku = price.statistic;
  offer.gpu = price.gpu;
  offer.gpu_count = price.gpu_count;
  if (!price.region.empty()) offer.regions.push_back(price.region);
  offer.pricing = price.pricing;
  offer.tier = price.tier;
  offer.usd_per_hour = price.usd_per_hour;
  offer.as_of = price.as_of;
  return offer;
}

class Finder {
 public:
  Finder(const Catalog& catalog, const OfferFilter& filter, Day today)
      : m_catalog(catalog), m_filter(filter), m_today(today) {}

  void consider(const Provider& provider, const Offer& offer, const MarketPrice* market) {
    const int age = age_days(offer.as_of, m_today);
    auto miss = refuses(m_filter, *m_catalog.gpu_with_id(offer.gpu), offer.gpu_count);
    if (!miss) miss = refuses(m_filter, provider, offer, age);
    if (miss)
      ++refused[miss->code];
    else
      found.push_back({&provider, &offer, market, age});
  }

  std::vector<Found> found;
  std::map<std::string, std::size_t> refused;

 private:
  const Catalog& m_catalog;
  const OfferFilter& m_filter;
  Day m_today;
};

// What is for rent before what was only seen; then by the key; ties by names,
// so that the order is total.
void sort_found(std::vector<Found>& found, Order order) {
  const auto key = [order](const Found& f) {
    const std::string_view gpu = f.offer->gpu;
    const std::string_view provider = f.provider->id;
    const bool by_gpu = order == Order::gpu;
    const bool by_provider = order == Order::provider;
    return std::tuple(f.market != nullptr,
                      by_gpu        ? gpu
                      : by_provider ? provider
                                    : "",
                      order == Order::age ? f.age_days : 0, by_provider ? gpu : std::string_view(),
                      usd_per_gpu_hour(f.offer->usd_per_hour, f.offer->gpu_count),
                      f.offer->gpu_count, gpu, provider, std::string_view(f.offer->sku),
                      std::string_view(f.offer->pricing), std::string_view(f.offer->tier));
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Found& a, const Found& b) { return key(a) < key(b); });
}

ExitCode run_list(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  RecommendOptions wanted = read(flags.offers, catalog);
  read(flags.hardware, catalog, wanted.filter);
  if (wanted.filter.pricing.empty())
    wanted.filter.pricing = {"on-demand", "spot", "reserved", "serverless"};
  const Order order = !flags.sort ? Order::gpu
                                  : parse_choice<Order>(*flags.sort, "--sort",
                                                        {{"gpu", Order::gpu},
                                                         {"usd", Order::usd},
                                                         {"provider", Order::provider},
                                                         {"age", Order::age}});
  const std::size_t limit =
      flags.offers.limit ? wanted.limit : (for_people(options) ? table_limit : 0);

  Finder finder(catalog, wanted.filter, options.today);
  std::deque<Offer> statistics;
  for (const Provider& provider : catalog.providers()) {
    for (const Offer& offer : provider.offers) finder.consider(provider, offer, nullptr);
    // Names are of what can be shown and rented.
    if (!flags.market || options.format == Format::names) continue;
    for (const MarketPrice& price : provider.market)
      finder.consider(provider, statistics.emplace_back(as_offer(price)), &price);
  }
  sort_found(finder.found, order);
  Listing listing{.command = "offers list"};
  listing.total = finder.found.size();
  listing.refused = finder.refused;
  if (limit > 0 && finder.found.size() > limit) finder.found.resize(limit);
  for (const Found& f : finder.found)
    listing.results.push_back(f.market != nullptr
                                  ? market_price_row(*f.provider, *f.market, options.today)
                                  : offer_row(*f.provider, *f.offer, options.today));
  return write_list(std::move(listing), catalog, options, offers_shape(), offers_table);
}

[[noreturn]] void refuse_offer(const std::string& id, const std::vector<std::string>& known,
                               const std::string& otherwise) {
  throw Error(ExitCode::usage, "unknown-offer",
              fmt::format("unknown offer '{}'", printable(id, 60)),
              did_you_mean(id, known, otherwise));
}

// PROVIDER/SKU, or the SKU alone. Offers that differ in pricing, tier or region
// alone share one.
std::vector<Found> find_offers(const Catalog& catalog, const std::string& id) {
  std::vector<Found> found;
  std::vector<std::string> ids;
  const std::string wanted = id.size() > 256 ? "" : normalised_name(id);
  for (const Provider& provider : catalog.providers()) {
    for (const Offer& offer : provider.offers) {
      ids.push_back(offer_id(provider, offer));
      if (!wanted.empty() &&
          (normalised_name(ids.back()) == wanted || normalised_name(offer.sku) == wanted))
        found.push_back({&provider, &offer, nullptr, 0});
    }
  }
  if (!found.empty()) return found;
  std::string otherwise = "PROVIDER/SKU, as in: vcgpu offers list -o names";
  if (const Gpu* gpu = catalog.find_gpu(id))
    otherwise = "of a GPU: vcgpu offers list --gpu " + gpu->id;
  for (const Provider& provider : catalog.providers()) {
    if (normalised_name(provider.id) == wanted)
      otherwise = "of a provider: vcgpu offers list --provider " + provider.id;
  }
  if (otherwise.starts_with("of ")) ids.clear();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  refuse_offer(id, ids, otherwise);
}

ExitCode run_show(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  Listing listing{.command = "offers show"};
  std::string cards;
  for (const std::string& id : flags.listing.ids) {
    for (const Found& f : find_offers(catalog, id)) {
      listing.results.push_back(offer_detail(*f.provider, *f.offer, options.today));
      cards += (cards.empty() ? "" : "\n") +
               offer_card(*f.provider, *f.offer, card_context(catalog, options));
    }
  }
  listing.total = listing.results.size();
  return write_show(std::move(listing), catalog, options, cards);
}

}  // namespace

void add_offers(CLI::App& app, Action& action) {
  const auto flags = std::make_shared<Flags>();
  add_listing(
      app, action,
      {.name = "offers",
       .id = "OFFER",
       .summary = "Offers of the catalog: who rents which GPUs, where, and for how much.",
       .list = {.summary = "One line an offer, by GPU and then price per GPU-hour.",
                .examples = {"vcgpu offers list --gpu 4090 --pricing on-demand",
                             "vcgpu offers list --vram 80GB.. --max-hourly 3 --sort usd",
                             "vcgpu offers list --provider vast --market -o csv"},
                .json_fields =
                    "results[].{kind, id, provider, sku, statistic, gpu, gpu_count, "
                    "usd_per_hour, usd_per_gpu_hour, pricing, tier, regions, interconnect, "
                    "vcpus, ram_gib, as_of, age_days, source}, kind is offer or market; "
                    "total, rejected, warnings"},
       .show = {.summary = "Everything that the catalog knows about an offer, by PROVIDER/SKU.",
                .examples = {"vcgpu offers show runpod/SECURE:rtx-4090-24gb",
                             "vcgpu offers show lambda/gpu_1x_a100 -o json"},
                .json_fields =
                    "results[] with the keys of an offer in data/providers.json and {kind, "
                    "id, provider, usd_per_gpu_hour, age_days}, total, warnings"},
       .add_filters = [flags](CLI::App& command) { add_filters(command, *flags); },
       .run_list = [flags] { return run_list(*flags); },
       .run_show = [flags] { return run_show(*flags); }},
      flags->listing);
}

}  // namespace vcgpu::cli
