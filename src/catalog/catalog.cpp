#include "vcgpu/catalog.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/load.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

namespace {

[[noreturn]] void bad(const std::string& message, const std::string& hint = {}) {
  throw Error(ExitCode::bad_catalog, "bad-catalog", message, hint);
}

// A name of two entries is an error: a look-up must have one answer.
template <class Entries>
void check_names(const Entries& entries, std::string_view kind) {
  std::map<std::string, std::string> owners;
  const auto claim = [&](const std::string& name, const std::string& id) {
    const auto [found, added] = owners.emplace(normalised_name(name), id);
    if (added || found->second == id) return;
    bad(fmt::format("{} '{}' and '{}' share the name '{}'", kind, found->second, id, found->first),
        "ids and aliases are compared without case and punctuation");
  };
  for (const auto& entry : entries) {
    claim(entry.id, entry.id);
    for (const std::string& alias : entry.aliases) claim(alias, entry.id);
  }
}

template <class Entry>
const Entry* find_named(const std::vector<Entry>& entries, std::string_view name) {
  // Longer than any name there is; do not copy megabytes.
  if (name.size() > 256) return nullptr;
  const std::string wanted = normalised_name(name);
  if (wanted.empty()) return nullptr;
  const auto matches = [&](const std::string& other) { return normalised_name(other) == wanted; };
  for (const Entry& entry : entries) {
    if (matches(entry.id) || std::any_of(entry.aliases.begin(), entry.aliases.end(), matches))
      return &entry;
  }
  return nullptr;
}

template <class Entries>
std::vector<std::string> all_names(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    names.push_back(entry.id);
    names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  }
  return names;
}

// Error for a name that is none. Suggests ids where an alias is near.
template <class Entries>
[[noreturn]] void unknown(std::string_view kind, std::string_view name, const Entries& entries,
                          std::string_view list_command) {
  throw Error(
      ExitCode::usage, fmt::format("unknown-{}", kind),
      fmt::format("unknown {} '{}'", kind, printable(name, 60)),
      did_you_mean(name, all_names(entries), fmt::format("see: vcgpu {} list", list_command)));
}

void check_pricing(const Provider& provider, const Offer& offer) {
  const std::string& mode = offer.pricing;
  const bool plain = mode == "on-demand" || mode == "spot" || mode == "serverless";
  if (!plain && !offer.pricing.starts_with("reserved-"))
    bad(fmt::format("offer {} of {}: pricing '{}' is not known", offer.sku, provider.id,
                    offer.pricing),
        "on-demand, spot, serverless or reserved-TERM");
  const std::string& tier = offer.tier;
  if (tier != "community" && tier != "secure" && tier != "standard")
    bad(fmt::format("offer {} of {}: tier '{}' is not known", offer.sku, provider.id, offer.tier),
        "community, secure or standard");
}

bool variant_matches(const std::vector<std::string>& names, std::string_view wanted) {
  const std::string name = normalised_name(wanted);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& other) { return normalised_name(other) == name; });
}

const Variant& default_variant(const VoiceModel& model) {
  return *std::find_if(model.variants.begin(), model.variants.end(),
                       [&](const Variant& variant) { return variant.id == model.default_variant; });
}

}  // namespace

ModelNames names_of(const VoiceModel& model) {
  ModelNames names{model.id, model.aliases, {}};
  for (const Variant& variant : model.variants) {
    std::vector<std::string>& list = names.variants.emplace_back(variant.aliases);
    list.insert(list.begin(), variant.id);
  }
  return names;
}

Catalog::Catalog(CatalogParts parts, PackedModels packed, CheckedBefore)
    : m_parts(std::move(parts)),
      m_names(std::move(packed.names)),
      m_unpack(std::move(packed.unpack)),
      m_gpus_by_id(m_parts.gpus.size()) {
  for (const VoiceModel& model : m_parts.models) m_names.push_back(names_of(model));
  std::iota(m_gpus_by_id.begin(), m_gpus_by_id.end(), std::size_t{0});
  std::sort(m_gpus_by_id.begin(), m_gpus_by_id.end(), [this](std::size_t a, std::size_t b) {
    return m_parts.gpus[a].id < m_parts.gpus[b].id;
  });
  std::sort(m_parts.market.begin(), m_parts.market.end(),
            [](const MarketReference& a, const MarketReference& b) { return a.gpu < b.gpu; });
}

Catalog::Catalog(CatalogParts parts) : Catalog(std::move(parts), {}, CheckedBefore{}) { check(); }

Catalog Catalog::checked_before(CatalogParts parts, PackedModels packed) {
  return {std::move(parts), std::move(packed), CheckedBefore{}};
}

std::span<const VoiceModel> Catalog::models() const {
  if (m_unpack && m_parts.models.empty()) {
    m_parts.models.reserve(m_names.size());
    for (std::size_t i = 0; i < m_names.size(); ++i) m_parts.models.push_back(m_unpack(i));
  }
  return m_parts.models;
}

const VoiceModel& Catalog::model_at(std::size_t index) const {
  if (!m_parts.models.empty()) return m_parts.models[index];
  const auto found = m_unpacked.find(index);
  return found != m_unpacked.end() ? found->second
                                   : m_unpacked.emplace(index, m_unpack(index)).first->second;
}

void Catalog::check() const {
  check_names(m_parts.gpus, "GPUs");
  check_names(m_parts.providers, "providers");
  check_names(m_parts.models, "models");
  const auto known_gpu = [&](const std::string& id, auto where) {
    if (gpu_with_id(id) != nullptr) return;
    bad(fmt::format("{} names GPU '{}', which is not in gpus.json", where(), printable(id, 60)),
        did_you_mean(id, all_names(m_parts.gpus)));
  };
  for (const Provider& provider : m_parts.providers) {
    for (const Offer& offer : provider.offers) {
      known_gpu(offer.gpu, [&] { return fmt::format("offer {} of {}", offer.sku, provider.id); });
      check_pricing(provider, offer);
    }
    for (const MarketPrice& price : provider.market)
      known_gpu(price.gpu, [&] { return fmt::format("a market price of {}", provider.id); });
  }
  for (const MarketReference& reference : m_parts.market)
    known_gpu(reference.gpu, [] { return std::string("a market reference"); });
  for (const VoiceModel& model : m_parts.models) {
    for (const Stage& stage : model.stages) {
      for (const SpeedReference& reference : stage.training.speed.references)
        known_gpu(reference.gpu,
                  [&] { return fmt::format("a speed reference of {} {}", model.id, stage.id); });
    }
    for (const Variant& variant : model.variants) {
      if (!variant.inference) continue;
      for (const InferenceReference& reference : variant.inference->references)
        known_gpu(reference.gpu, [&] {
          return fmt::format("an inference reference of {} {}", model.id, variant.id);
        });
    }
  }
}

const Gpu* Catalog::find_gpu(std::string_view name) const { return find_named(m_parts.gpus, name); }

const Gpu* Catalog::gpu_with_id(std::string_view id) const {
  const auto found = std::lower_bound(
      m_gpus_by_id.begin(), m_gpus_by_id.end(), id,
      [this](std::size_t i, std::string_view wanted) { return m_parts.gpus[i].id < wanted; });
  return found != m_gpus_by_id.end() && m_parts.gpus[*found].id == id ? &m_parts.gpus[*found]
                                                                      : nullptr;
}

const Gpu& Catalog::gpu(std::string_view name) const {
  if (const Gpu* found = find_gpu(name)) return *found;
  unknown("gpu", name, m_parts.gpus, "gpus");
}

const Provider& Catalog::provider(std::string_view name) const {
  if (const Provider* found = find_named(m_parts.providers, name)) return *found;
  unknown("provider", name, m_parts.providers, "providers");
}

ModelChoice Catalog::model(std::string_view name) const {
  const std::size_t at = name.find('@');
  const std::string_view model_name = name.substr(0, at);
  const ModelNames* found = find_named(m_names, model_name);
  const auto index_of = [&](const ModelNames& names) {
    return static_cast<std::size_t>(&names - m_names.data());
  };
  if (found == nullptr) {
    // "v2proplus" alone: fine where only one model has such a variant.
    std::vector<std::pair<std::size_t, std::size_t>> choices;
    if (at == std::string_view::npos && name.size() <= 256 && !normalised_name(name).empty()) {
      for (const ModelNames& names : m_names) {
        for (std::size_t i = 0; i < names.variants.size(); ++i) {
          if (variant_matches(names.variants[i], name)) choices.emplace_back(index_of(names), i);
        }
      }
    }
    if (choices.size() == 1) {
      const VoiceModel& model = model_at(choices.front().first);
      return {&model, &model.variants[choices.front().second], true, {}};
    }
    unknown("model", model_name, m_names, "models");
  }
  const VoiceModel& model = model_at(index_of(*found));
  ModelChoice choice{&model, &default_variant(model), false, {}};
  for (const auto& [alias, note] : model.alias_notes) {
    if (normalised_name(alias) == normalised_name(model_name)) choice.note = note;
  }
  if (at == std::string_view::npos) return choice;
  const std::string_view wanted = name.substr(at + 1);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < model.variants.size(); ++i) {
    known.push_back(model.variants[i].id);
    if (wanted.size() > 256 || !variant_matches(found->variants[i], wanted)) continue;
    choice.variant = &model.variants[i];
    choice.variant_named = true;
    return choice;
  }
  throw Error(ExitCode::usage, "unknown-variant",
              fmt::format("{} has no variant '{}'", model.name, printable(wanted, 60)),
              did_you_mean(wanted, known, "variants: " + joined(known)));
}

const MarketReference* Catalog::market_of(std::string_view gpu_id) const {
  const auto found =
      std::lower_bound(m_parts.market.begin(), m_parts.market.end(), gpu_id,
                       [](const MarketReference& a, std::string_view id) { return a.gpu < id; });
  return found != m_parts.market.end() && found->gpu == gpu_id ? &*found : nullptr;
}

std::vector<const Stage*> stages_of(const VoiceModel& model, const Variant& variant) {
  std::vector<const Stage*> stages;
  for (const std::string& key : variant.stages) {
    const auto found = std::find_if(model.stages.begin(), model.stages.end(),
                                    [&](const Stage& stage) { return stage.key == key; });
    if (found != model.stages.end()) stages.push_back(&*found);
  }
  return stages;
}

}  // namespace vcgpu
