#include "advise/filter.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/offer_flags.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  ListingFlags listing;
  HardwareFlags hardware;
};

ExitCode run_list(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  OfferFilter filter;
  read(flags.hardware, catalog, filter);
  // A GPU has no count of its own: what is asked for is an offer with so many.
  const std::optional<OpenRange> gpu_count = filter.gpu_count;
  filter.gpu_count.reset();
  const std::map<std::string, PriceSummary> prices = summarise_prices(catalog, gpu_count);

  Listing listing{.command = "gpus list"};
  for (const Gpu& gpu : catalog.gpus()) {
    const auto found = prices.find(gpu.id);
    if (const auto miss = refuses(filter, gpu, 1)) {
      ++listing.refused[miss->code];
    } else if (gpu_count && found == prices.end()) {
      ++listing.refused["gpu-count"];
    } else {
      listing.results.push_back(
          gpu_row(gpu, found == prices.end() ? PriceSummary{} : found->second, options.today));
    }
  }
  listing.total = listing.results.size();
  return write_list(std::move(listing), catalog, options, gpus_shape(), gpus_table);
}

ExitCode run_show(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  std::vector<const Gpu*> gpus;
  for (const std::string& id : flags.listing.ids) gpus.push_back(&catalog.gpu(id));
  const std::map<std::string, PriceSummary> prices = summarise_prices(catalog, std::nullopt);

  Listing listing{.command = "gpus show"};
  std::string cards;
  for (const Gpu* gpu : gpus) {
    const auto found = prices.find(gpu->id);
    const GpuCard card{.gpu = gpu,
                       .prices = found == prices.end() ? PriceSummary{} : found->second,
                       .market = catalog.market_of(gpu->id)};
    listing.results.push_back(gpu_detail(*gpu, card.prices, card.market, options.today));
    cards += (cards.empty() ? "" : "\n") + gpu_card(card, card_context(catalog, options));
  }
  listing.total = listing.results.size();
  return write_show(std::move(listing), catalog, options, cards);
}

}  // namespace

void add_gpus(CLI::App& app, Action& action) {
  const auto flags = std::make_shared<Flags>();
  add_listing(
      app, action,
      {.name = "gpus",
       .id = "GPU",
       .summary = "GPUs of the catalog: memory, rates, prices, with sources and dates.",
       .list = {.summary =
                    "One line a GPU: memory, bandwidth, rates, and what renting it starts at.",
                .examples = {"vcgpu gpus list --vram 24GB..48GB --vendor nvidia",
                             "vcgpu gpus list --compute-capability 8.9.. -o csv"},
                .json_fields =
                    "results[].{id, name, vendor, architecture, compute_capability, form, "
                    "memory_gb, usable_gib, bandwidth_gb_s, fp32_tflops, tf32_tflops, "
                    "fp16_tflops, bf16_tflops, nvlink_gb_s, offers, providers, "
                    "min_usd_per_gpu_hour, min_provider, min_as_of, min_age_days}, total, "
                    "rejected, warnings"},
       .show = {.summary = "Everything that the catalog knows about a GPU, by id or alias.",
                .examples = {"vcgpu gpus show 4090",
                             "vcgpu gpus show a100-sxm-80gb h100 -o json | jq '.results[].mig'"},
                .json_fields = "results[] with the keys of data/gpus.json and {offers, providers, "
                               "cheapest_on_demand, market_reference}, total, warnings"},
       .add_filters = [flags](CLI::App& command) { add_hardware_flags(command, flags->hardware); },
       .run_list = [flags] { return run_list(*flags); },
       .run_show = [flags] { return run_show(*flags); }},
      flags->listing);
}

}  // namespace vcgpu::cli
