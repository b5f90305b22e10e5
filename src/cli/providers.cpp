#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/offer_flags.hpp"
#include "report/entry_json.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  ListingFlags listing;
  OfferFlags offers;
};

void add_filters(CLI::App& command, Flags& flags) {
  add_value(command, "--min-reliability", flags.offers.min_reliability, "1 to 5")
      ->group("Providers");
}

ExitCode run_list(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  const std::optional<int> least = read(flags.offers, catalog).filter.min_reliability;
  Listing listing{.command = "providers list"};
  for (const Provider& provider : catalog.providers()) {
    if (least && provider.reliability.value_or(0) < *least)
      ++listing.refused["min-reliability"];
    else
      listing.results.push_back(provider_row(provider));
  }
  listing.total = listing.results.size();
  return write_list(std::move(listing), catalog, options, providers_shape(), providers_table);
}

ExitCode run_show(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  Listing listing{.command = "providers show"};
  std::string cards;
  for (const std::string& id : flags.listing.ids) {
    const Provider& provider = catalog.provider(id);
    listing.results.push_back(provider_entry(provider));
    cards += (cards.empty() ? "" : "\n") + provider_card(provider, card_context(catalog, options));
  }
  listing.total = listing.results.size();
  return write_show(std::move(listing), catalog, options, cards);
}

}  // namespace

void add_providers(CLI::App& app, Action& action) {
  const auto flags = std::make_shared<Flags>();
  add_listing(
      app, action,
      {.name = "providers",
       .id = "PROVIDER",
       .summary = "Providers of the catalog: terms of billing, storage, reliability, offers.",
       .list = {.summary = "One line a provider: how it bills, and how reliable and easy it is.",
                .examples = {"vcgpu providers list", "vcgpu providers list --min-reliability 4"},
                .json_fields =
                    "results[].{id, name, kind, offers, gpus, minimum_charge_s, "
                    "billing_granularity_s, storage.usd_per_gb_month, egress_usd_per_gb, "
                    "reliability, ease, as_of}, total, rejected, warnings"},
       .show = {.summary = "Everything that the catalog knows about a provider.",
                .examples = {"vcgpu providers show runpod",
                             "vcgpu providers show vast -o json | jq '.results[0].market'"},
                .json_fields = "results[] with the keys of data/providers.json, total, warnings"},
       .add_filters = [flags](CLI::App& command) { add_filters(command, *flags); },
       .run_list = [flags] { return run_list(*flags); },
       .run_show = [flags] { return run_show(*flags); }},
      flags->listing);
}

}  // namespace vcgpu::cli
