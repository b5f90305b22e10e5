#include "cli/offer_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "advise/cards.hpp"
#include "advise/filter.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "catalog/readers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu::cli {

namespace {

constexpr Bounds usd_bounds{0.0001, 1e9};

ComputeCapability parse_capability(std::string_view text) {
  if (const auto capability = parse_compute_capability(trimmed(text))) return *capability;
  throw Error(ExitCode::usage, "bad-value",
              fmt::format("--compute-capability: '{}' is not possible", printable(text, 40)),
              "8.0.., 7.5..8.9 or 9.0");
}

void read_capability_range(const std::string& text, OfferFilter& filter) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    filter.min_compute_capability = filter.max_compute_capability = parse_capability(text);
    return;
  }
  if (dots > 0) filter.min_compute_capability = parse_capability(text.substr(0, dots));
  if (dots + 2 < text.size())
    filter.max_compute_capability = parse_capability(text.substr(dots + 2));
  const auto& low = filter.min_compute_capability;
  const auto& high = filter.max_compute_capability;
  if ((!low && !high) || (low && high && *low > *high))
    throw Error(ExitCode::usage, "bad-value",
                fmt::format("--compute-capability: '{}' is not possible", printable(text, 40)),
                "8.0.., 7.5..8.9 or 9.0");
}

std::vector<std::string> parse_providers(const std::string& text, std::string_view what,
                                         const Catalog& catalog) {
  std::vector<std::string> ids;
  for (const std::string& name : parse_list(text, what)) ids.push_back(catalog.provider(name).id);
  return ids;
}

std::vector<std::string> parse_known(const std::string& text, std::string_view what,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> values = parse_list(text, what);
  for (const std::string& value : values) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      refuse_choice(value, what, known);
  }
  return values;
}

std::vector<std::string> pricing_modes(const Catalog& catalog) {
  std::vector<std::string> modes{"on-demand", "spot", "reserved", "serverless"};
  for (const Provider& provider : catalog.providers()) {
    for (const Offer& offer : provider.offers) {
      if (std::find(modes.begin(), modes.end(), offer.pricing) == modes.end())
        modes.push_back(offer.pricing);
    }
  }
  return modes;
}

std::vector<std::string> architectures(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const Gpu& gpu : catalog.gpus()) {
    if (std::find(names.begin(), names.end(), gpu.architecture) == names.end())
      names.push_back(gpu.architecture);
  }
  return names;
}

void check_architectures(const std::vector<std::string>& wanted, const Catalog& catalog) {
  const std::vector<std::string> known = architectures(catalog);
  for (const std::string& name : wanted) {
    const auto same = [&](const std::string& other) {
      return normalised_name(other) == normalised_name(name);
    };
    if (std::none_of(known.begin(), known.end(), same)) refuse_choice(name, "--arch", known);
  }
}

void check_regions(const std::vector<std::string>& wanted, const Catalog& catalog) {
  for (const std::string& region : wanted) {
    const bool known = std::any_of(
        catalog.providers().begin(), catalog.providers().end(), [&](const Provider& provider) {
          return std::any_of(
              provider.offers.begin(), provider.offers.end(), [&](const Offer& offer) {
                return std::any_of(
                    offer.regions.begin(), offer.regions.end(),
                    [&](const std::string& name) { return region_matches(name, region); });
              });
        });
    if (!known)
      throw Error(ExitCode::usage, "unknown-region",
                  fmt::format("--region: no offer names a region like '{}'", printable(region, 40)),
                  "part of a region's name: us, europe-west4, Texas");
  }
}

}  // namespace

void add_hardware_flags(CLI::App& command, HardwareFlags& flags) {
  add_value(command, "--gpu", flags.gpu, "names, or a size such as 12GB: a,b", Repeat::join)
      ->group("Hardware");
  add_value(command, "--vram", flags.vram, "marketed memory of one GPU: 16GB..48GB, 24GB..")
      ->group("Hardware");
  add_value(command, "--gpu-count", flags.gpu_count, "GPUs of an instance: 1, 1..8")
      ->group("Hardware");
  add_value(command, "--vendor", flags.vendor, "nvidia, amd", Repeat::join)->group("Hardware");
  add_value(command, "--arch", flags.arch, "Ada, Hopper, ...", Repeat::join)->group("Hardware");
  add_value(command, "--compute-capability", flags.compute_capability, "8.0.., 7.5..8.9")
      ->group("Hardware");
}

void add_offer_flags(CLI::App& command, OfferFlags& flags) {
  add_value(command, "--provider", flags.provider, "only these: a,b", Repeat::join)
      ->group("Offers");
  add_value(command, "--exclude-provider", flags.exclude_provider, "not these: a,b", Repeat::join)
      ->group("Offers");
  add_value(command, "--region", flags.region, "part of a region's name: us,europe", Repeat::join)
      ->group("Offers");
  add_value(command, "--pricing", flags.pricing,
            "on-demand, spot, reserved, serverless (on-demand,spot)", Repeat::join)
      ->group("Offers");
  add_value(command, "--tier", flags.tier, "community, secure, standard (all)", Repeat::join)
      ->group("Offers");
  add_value(command, "--max-hourly", flags.max_hourly, "USD per hour of one instance at most")
      ->group("Offers");
  add_value(command, "--budget", flags.budget, "USD in total at most")->group("Offers");
  add_value(command, "--deadline", flags.deadline, "done within: 24h")->group("Offers");
  add_value(command, "--min-reliability", flags.min_reliability, "1 to 5")->group("Offers");
  add_value(command, "--max-age", flags.max_age, "oldest price: 30d")->group("Offers");
  add_value(command, "--sort", flags.sort, "cost, time, hourly, value or fit (cost)")
      ->group("Ranking");
  add_value(command, "--limit", flags.limit, "rows; 0 for all (10)")->group("Ranking");
  add_value(command, "--per", flags.per, "one row for each gpu, provider or offer (offer)")
      ->group("Ranking");
  command.add_flag("--pareto", flags.pareto, "only what nothing beats in both cost and time")
      ->group("Ranking");
  command
      .add_flag("--explain", flags.explain,
                "memory by component, cost lines and reasons of each row")
      ->group("Ranking");
  command
      .add_flag("--show-rejected", flags.show_rejected, "every offer that was left out, and why")
      ->group("Ranking");
}

std::vector<std::string> parse_gpus(const std::string& text, const Catalog& catalog) {
  std::vector<std::string> names;
  for (const std::string& name : parse_list(text, "--gpu")) {
    if (name == "local")
      throw Error(ExitCode::usage, "not-built", "--gpu local is not built yet",
                  "name the card: vcgpu gpus list");
    if (name == "all") {
      names.push_back(name);
      continue;
    }
    std::deque<Gpu> made_up;
    const Card card = card_named(name, catalog, made_up);  // throws, with the nearest names
    names.push_back(card.rates_known ? card.gpu->id : name);
  }
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  }
  return once;
}

void read(const HardwareFlags& flags, const Catalog& catalog, OfferFilter& filter) {
  if (flags.gpu) {
    for (const std::string& name : parse_gpus(*flags.gpu, catalog)) {
      if (name == "all") continue;
      if (name.find('/') != std::string::npos)
        throw Error(ExitCode::usage, "bad-value",
                    fmt::format("--gpu: '{}' is a slice, and offers are of whole cards", name),
                    "vcgpu estimate or fit sizes slices");
      if (catalog.find_gpu(name) != nullptr)
        filter.gpus.push_back(name);
      else
        filter.memory_sizes_gb.push_back(in_gb(parse_size(name, "--gpu", {1e9, 1e13})));
    }
  }
  if (flags.vram) filter.vram_gb = parse_range(*flags.vram, "--vram", {1, 10000}, "GB");
  if (flags.gpu_count)
    filter.gpu_count = parse_range(*flags.gpu_count, "--gpu-count", {0.01, 1024});
  if (flags.vendor) {
    for (const std::string& name : parse_list(*flags.vendor, "--vendor"))
      filter.vendors.push_back(parse_choice(name, "--vendor", vendor_names()));
  }
  if (flags.arch) {
    filter.architectures = parse_list(*flags.arch, "--arch");
    check_architectures(filter.architectures, catalog);
  }
  if (flags.compute_capability) read_capability_range(*flags.compute_capability, filter);
}

RecommendOptions read(const OfferFlags& flags, const Catalog& catalog) {
  RecommendOptions options;
  OfferFilter& filter = options.filter;
  if (flags.provider) filter.providers = parse_providers(*flags.provider, "--provider", catalog);
  if (flags.exclude_provider)
    filter.excluded_providers =
        parse_providers(*flags.exclude_provider, "--exclude-provider", catalog);
  if (flags.region) {
    filter.regions = parse_list(*flags.region, "--region");
    check_regions(filter.regions, catalog);
  }
  if (flags.pricing)
    filter.pricing = parse_known(*flags.pricing, "--pricing", pricing_modes(catalog));
  if (flags.tier)
    filter.tiers = parse_known(*flags.tier, "--tier", {"community", "secure", "standard"});
  if (flags.max_hourly)
    filter.max_hourly = UsdPerHour(parse_number(*flags.max_hourly, "--max-hourly", usd_bounds));
  if (flags.budget) filter.budget = Usd(parse_number(*flags.budget, "--budget", usd_bounds));
  if (flags.deadline) filter.deadline = parse_duration(*flags.deadline, "--deadline", {60, 3.2e8});
  if (flags.min_reliability)
    filter.min_reliability =
        static_cast<int>(parse_integer(*flags.min_reliability, "--min-reliability", {1, 5}));
  if (flags.max_age)
    filter.max_age_days = static_cast<int>(
        parse_duration(*flags.max_age, "--max-age", {86400, 3.2e9}).count() / 86400);
  if (flags.sort)
    options.sort = parse_choice<SortKey>(*flags.sort, "--sort",
                                         {{"cost", SortKey::cost},
                                          {"time", SortKey::time},
                                          {"hourly", SortKey::hourly},
                                          {"value", SortKey::value},
                                          {"fit", SortKey::fit}});
  if (flags.per)
    options.collapse = parse_choice<Collapse>(
        *flags.per, "--per",
        {{"offer", Collapse::offer}, {"provider", Collapse::provider}, {"gpu", Collapse::gpu}});
  if (flags.limit)
    options.limit = static_cast<std::size_t>(parse_integer(*flags.limit, "--limit", {0, 1e6}));
  options.pareto_only = flags.pareto;
  return options;
}

}  // namespace vcgpu::cli
