#include "report/listing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "report/answer.hpp"
#include "report/entry_json.hpp"
#include "report/json_fields.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? plain_number(*value) : Json(nullptr);
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json usd(UsdPerHour rate) { return plain_number(rounded(rate.count(), 5)); }

// The lowest price in the words of an offer.
Json cheapest_json(const PriceSummary& prices, Day today) {
  if (prices.cheapest == nullptr) return nullptr;
  const Offer& offer = *prices.cheapest;
  return JsonFields()
      .add("usd_per_gpu_hour", usd(usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count)))
      .add("usd_per_hour", usd(offer.usd_per_hour))
      .add("gpu_count", offer.gpu_count)
      .add("provider", prices.provider->id)
      .add("sku", offer.sku)
      .add("tier", offer.tier)
      .add("as_of", offer.as_of)
      .add("age_days", age_days(offer.as_of, today))
      .add("source", offer.source)
      .take();
}

Json basis_word(const std::optional<Basis>& basis) {
  return basis ? Json(name_of(*basis)) : Json(nullptr);
}

// An estimate is as well founded as the worst profile that it may use.
std::optional<Basis> worst_basis(const std::vector<MemoryProfile>& profiles) {
  std::optional<Basis> worst;
  for (const MemoryProfile& profile : profiles)
    worst = worst ? std::max(*worst, profile.basis) : profile.basis;
  return worst;
}

// It starts from the best reference.
template <class Reference>
std::optional<Basis> best_basis(const std::vector<Reference>& references) {
  std::optional<Basis> best;
  for (const Reference& reference : references)
    best = best ? std::min(*best, reference.basis) : reference.basis;
  return best;
}

void weaken(std::optional<Basis>& basis, const std::optional<Basis>& part) {
  if (part) basis = basis ? std::max(*basis, *part) : *part;
}

// Of the default variant, without optional stages.
Json basis_json(const VoiceModel& model) {
  const auto variant =
      std::find_if(model.variants.begin(), model.variants.end(),
                   [&](const Variant& v) { return v.id == model.default_variant; });
  std::optional<Basis> memory, speed, inference_memory, inference_speed;
  for (const Stage* stage : stages_of(model, *variant)) {
    if (stage->optional) continue;
    weaken(memory, worst_basis(stage->training.profiles));
    weaken(speed, best_basis(stage->training.speed.references));
  }
  if (variant->inference) {
    inference_memory = worst_basis(variant->inference->profiles);
    inference_speed = best_basis(variant->inference->references);
  }
  return {
      {"memory", {{"training", basis_word(memory)}, {"inference", basis_word(inference_memory)}}},
      {"speed", {{"training", basis_word(speed)}, {"inference", basis_word(inference_speed)}}}};
}

Json rejected_json(const std::map<std::string, std::size_t>& refused) {
  Json rejected = Json::array();
  for (const auto& [filter, entries] : refused)
    rejected.push_back({{"reason_code", "filter-" + filter},
                        {"message", fmt::format("left out by --{}", filter)},
                        {"entries", entries}});
  return rejected;
}

}  // namespace

Json listing_document(Listing listing, const CatalogInfo& catalog) {
  Json document = document_head(listing.command, catalog);
  document["results"] = std::move(listing.results);
  document["total"] = listing.total;
  document["rejected"] = rejected_json(listing.refused);
  Json warnings = Json::array();
  for (const Warning& warning : listing.warnings)
    warnings.push_back({{"code", warning.code}, {"message", warning.message}});
  document["warnings"] = std::move(warnings);
  return document;
}

Json gpu_row(const Gpu& gpu, const PriceSummary& prices, Day today) {
  const Offer* cheapest = prices.cheapest;
  return {{"id", gpu.id},
          {"name", gpu.name},
          {"vendor", name_of(gpu.vendor)},
          {"architecture", gpu.architecture},
          {"compute_capability",
           gpu.compute_capability ? Json(capability_text(*gpu.compute_capability)) : Json(nullptr)},
          {"form", name_of(gpu.form)},
          {"memory_gb", plain_number(gpu.memory_gb)},
          {"usable_gib", plain_number(gpu.usable_gib)},
          {"bandwidth_gb_s", plain_number(gpu.bandwidth_gb_s)},
          {"fp32_tflops", or_null(gpu.fp32_tflops)},
          {"tf32_tflops", or_null(gpu.tf32_tflops)},
          {"fp16_tflops", or_null(gpu.fp16_tflops)},
          {"bf16_tflops", or_null(gpu.bf16_tflops)},
          {"nvlink_gb_s", or_null(gpu.nvlink_gb_s)},
          {"offers", prices.offers},
          {"providers", prices.providers},
          {"min_usd_per_gpu_hour",
           cheapest != nullptr ? usd(usd_per_gpu_hour(cheapest->usd_per_hour, cheapest->gpu_count))
                               : Json(nullptr)},
          {"min_provider", cheapest != nullptr ? Json(prices.provider->id) : Json(nullptr)},
          {"min_as_of", cheapest != nullptr ? Json(cheapest->as_of) : Json(nullptr)},
          {"min_age_days",
           cheapest != nullptr ? Json(age_days(cheapest->as_of, today)) : Json(nullptr)}};
}

Json voice_model_row(const VoiceModel& model) {
  Json variants = Json::array();
  for (const Variant& variant : model.variants) variants.push_back(variant.id);
  Json tasks = Json::array();
  for (const Task task : tasks_of(model)) tasks.push_back(name_of(task));
  return {{"id", model.id},
          {"name", model.name},
          {"family", name_of(model.family)},
          {"default_variant", model.default_variant},
          {"variants", std::move(variants)},
          {"tasks", std::move(tasks)},
          {"licence", {{"commercial", model.licence.commercial}}},
          {"basis", basis_json(model)},
          {"summary", model.summary},
          {"as_of", model.as_of}};
}

Json provider_row(const Provider& provider) {
  std::map<std::string, bool> gpus;
  for (const Offer& offer : provider.offers) gpus.emplace(offer.gpu, true);
  return {{"id", provider.id},
          {"name", provider.name},
          {"kind", or_null(provider.kind)},
          {"offers", provider.offers.size()},
          {"gpus", gpus.size()},
          {"minimum_charge_s", or_null(provider.minimum_charge_s)},
          {"billing_granularity_s", or_null(provider.billing_granularity_s)},
          {"storage", {{"usd_per_gb_month", or_null(provider.storage.usd_per_gb_month)}}},
          {"egress_usd_per_gb", or_null(provider.egress_usd_per_gb)},
          {"reliability", or_null(provider.reliability)},
          {"ease", or_null(provider.ease)},
          {"as_of", provider.as_of}};
}

Json offer_row(const Provider& provider, const Offer& offer, Day today) {
  return {{"kind", "offer"},
          {"id", offer_id(provider, offer)},
          {"provider", provider.id},
          {"sku", offer.sku},
          {"statistic", nullptr},
          {"gpu", offer.gpu},
          {"gpu_count", plain_number(offer.gpu_count)},
          {"usd_per_hour", usd(offer.usd_per_hour)},
          {"usd_per_gpu_hour", usd(usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count))},
          {"pricing", offer.pricing},
          {"tier", offer.tier},
          {"regions", offer.regions},
          {"interconnect", or_null(offer.interconnect)},
          {"vcpus", or_null(offer.vcpus)},
          {"ram_gib", or_null(offer.ram_gib)},
          {"as_of", offer.as_of},
          {"age_days", age_days(offer.as_of, today)},
          {"source", offer.source}};
}

Json market_price_row(const Provider& provider, const MarketPrice& price, Day today) {
  return {{"kind", "market"},
          {"id", nullptr},
          {"provider", provider.id},
          {"sku", nullptr},
          {"statistic", price.statistic},
          {"gpu", price.gpu},
          {"gpu_count", plain_number(price.gpu_count)},
          {"usd_per_hour", usd(price.usd_per_hour)},
          {"usd_per_gpu_hour", usd(usd_per_gpu_hour(price.usd_per_hour, price.gpu_count))},
          {"pricing", or_null(price.pricing)},
          {"tier", or_null(price.tier)},
          {"regions", price.region.empty() ? Json::array() : Json::array({price.region})},
          {"interconnect", nullptr},
          {"vcpus", nullptr},
          {"ram_gib", nullptr},
          {"as_of", price.as_of},
          {"age_days", age_days(price.as_of, today)},
          {"source", price.source}};
}

Json gpu_detail(const Gpu& gpu, const PriceSummary& prices, const MarketReference* market,
                Day today) {
  Json entry = gpu_entry(gpu);
  entry["offers"] = prices.offers;
  entry["providers"] = prices.providers;
  entry["cheapest_on_demand"] = cheapest_json(prices, today);
  entry["market_reference"] = market != nullptr ? market_reference_entry(*market) : Json(nullptr);
  return entry;
}

Json offer_detail(const Provider& provider, const Offer& offer, Day today) {
  Json entry{{"kind", "offer"}, {"id", offer_id(provider, offer)}, {"provider", provider.id}};
  entry.update(offer_entry(offer));
  entry["usd_per_gpu_hour"] = usd(usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count));
  entry["age_days"] = age_days(offer.as_of, today);
  return entry;
}

std::string offer_id(const Provider& provider, const Offer& offer) {
  return provider.id + "/" + offer.sku;
}

std::string counted_gpu(double count, const std::string& gpu) {
  if (count == 1) return gpu;
  if (count < 1) return fmt::format("1/{:.0f} of {}", 1 / count, gpu);
  return fmt::format("{}x {}", number_text(count), gpu);
}

std::vector<Task> tasks_of(const VoiceModel& model) {
  const auto supports = [&](Task task) {
    if (!is_training(task))
      return std::any_of(model.variants.begin(), model.variants.end(),
                         [](const Variant& variant) { return variant.inference.has_value(); });
    return std::any_of(model.stages.begin(), model.stages.end(),
                       [&](const Stage& stage) { return stage.training.recipes.contains(task); });
  };
  std::vector<Task> tasks;
  for (const auto& [name, task] : task_names()) {
    if (supports(task)) tasks.push_back(task);
  }
  return tasks;
}

std::vector<std::string> flat_columns(const Json& results) {
  const auto is_flat = [](const Json& value) {
    return !value.is_object() &&
           (!value.is_array() || std::none_of(value.begin(), value.end(), [](const Json& item) {
             return item.is_structured();
           }));
  };
  std::vector<std::string> columns;
  for (const Json& entry : results) {
    for (const auto& [key, value] : entry.items()) {
      if (is_flat(value) && std::find(columns.begin(), columns.end(), key) == columns.end())
        columns.push_back(key);
    }
  }
  return columns;
}

}  // namespace vcgpu
