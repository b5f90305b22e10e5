// The steps from the catalog's JSON texts to a Catalog.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/json_source.hpp"
#include "vcgpu/catalog.hpp"

namespace vcgpu {

// The files that make up a catalog, in this order.
inline constexpr std::array<std::string_view, 4> catalog_files{"assumptions.json", "gpus.json",
                                                               "models.json", "providers.json"};

std::vector<JsonText> read_texts(const std::vector<std::filesystem::path>& paths);

// The texts of a catalog directory.
std::vector<JsonText> read_catalog_texts(const std::filesystem::path& directory);

// Reads base texts and lays the overlays over them: an entry with a known id
// replaces only the keys it names, null removes a key, a new id adds an entry.
CatalogParts read_catalog_parts(const std::vector<JsonText>& base,
                                const std::vector<JsonText>& overlays, const std::string& origin);

// What a model is called.
ModelNames names_of(const VoiceModel& model);

// What the build put into the program.
std::pair<CatalogParts, PackedModels> embedded_parts();
std::vector<JsonText> embedded_texts();

}  // namespace vcgpu
