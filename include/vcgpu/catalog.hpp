// Everything vcgpu knows: GPUs, providers with their offers, voice models and
// the constants of the estimates. A Catalog is checked when it is made: ids and
// aliases are unique, references resolve, numbers are possible.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vcgpu/assumptions.hpp"
#include "vcgpu/gpu.hpp"
#include "vcgpu/provider.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

struct CatalogInfo {
  std::string version;  // of the format and the data: "1-2026-11-30"
  std::string as_of;    // newest date of its files
  std::string sha256;   // over its JSON texts
  std::string origin;   // "embedded", or the directory and overlays it came from
};

struct CatalogParts {
  std::vector<Gpu> gpus;
  std::vector<Provider> providers;
  std::vector<MarketReference> market;
  std::vector<VoiceModel> models;
  Assumptions assumptions;
  CatalogInfo info;
};

// What a model is called, without the model.
struct ModelNames {
  std::string id;
  std::vector<std::string> aliases;
  std::vector<std::vector<std::string>> variants;  // id and aliases of each
};

// Models that are read when they are asked for: most runs ask for one of them.
struct PackedModels {
  std::vector<ModelNames> names;
  std::function<VoiceModel(std::size_t)> unpack;
};

// A model as the user named it.
struct ModelChoice {
  const VoiceModel* model = nullptr;
  const Variant* variant = nullptr;
  bool variant_named = false;  // false: the model's default was taken
  std::string note;            // what an ambiguous name was taken for; may be empty
};

class Catalog {
 public:
  // Throws Error (bad_catalog) where the parts do not agree with each other.
  explicit Catalog(CatalogParts parts);

  // Without the checks, for parts that a Catalog was made of before: the
  // embedded ones, which the build checks. Models come from `packed` when asked
  // for, and parts.models is empty.
  static Catalog checked_before(CatalogParts parts, PackedModels packed);

  [[nodiscard]] std::span<const Gpu> gpus() const { return m_parts.gpus; }
  [[nodiscard]] std::span<const Provider> providers() const { return m_parts.providers; }
  [[nodiscard]] std::span<const VoiceModel> models() const;  // reads all that are packed
  [[nodiscard]] std::size_t model_count() const { return m_names.size(); }
  [[nodiscard]] std::span<const MarketReference> market() const { return m_parts.market; }
  [[nodiscard]] const Assumptions& assumptions() const { return m_parts.assumptions; }
  [[nodiscard]] const CatalogInfo& info() const { return m_parts.info; }

  // By id or alias, whatever the case, spaces and punctuation ("RTX 4090",
  // "rtx4090"). Throws Error (usage) with the nearest names.
  [[nodiscard]] const Gpu& gpu(std::string_view name) const;
  [[nodiscard]] const Provider& provider(std::string_view name) const;

  // MODEL or MODEL@VARIANT; a variant's own id or alias alone is enough where
  // only one model has it.
  [[nodiscard]] ModelChoice model(std::string_view name) const;

  // Null where there is none.
  [[nodiscard]] const Gpu* find_gpu(std::string_view name) const;
  // By exact id alone, for references inside the catalog.
  [[nodiscard]] const Gpu* gpu_with_id(std::string_view id) const;
  [[nodiscard]] const MarketReference* market_of(std::string_view gpu_id) const;

 private:
  struct CheckedBefore {};
  Catalog(CatalogParts parts, PackedModels packed, CheckedBefore);
  void check() const;
  [[nodiscard]] const VoiceModel& model_at(std::size_t index) const;

  // A run looks up a handful of names, so they are searched for, not indexed:
  // the index would cost more than all look-ups.
  mutable CatalogParts m_parts;
  std::vector<ModelNames> m_names;
  std::function<VoiceModel(std::size_t)> m_unpack;  // empty: m_parts has them
  mutable std::map<std::size_t, VoiceModel> m_unpacked;
  std::vector<std::size_t> m_gpus_by_id;
};

// The stages that training `variant` runs, in order.
std::vector<const Stage*> stages_of(const VoiceModel& model, const Variant& variant);

// Where the data comes from. Without a directory: what is built in.
struct CatalogSource {
  std::optional<std::filesystem::path> directory;
  std::vector<std::filesystem::path> overlays;  // files, applied in order
};

// Reads and checks a catalog. Throws Error (bad_catalog) with file, JSON
// pointer and line; Error (failure) where a file cannot be read.
Catalog load_catalog(const CatalogSource& source);

}  // namespace vcgpu
