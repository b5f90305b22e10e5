// The entry that calibrate writes: an overlay file like any other, checked
// before it is written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catalog/json_source.hpp"
#include "estimate/calibration.hpp"
#include "vcgpu/catalog.hpp"

namespace vcgpu::cli {

// What the flags and the catalog say of the model before the fit.
struct Subject {
  VoiceModel model;  // the entry to be; its stages are replaced
  std::string variant;
  std::string stage_key;
  std::string note;
  bool overrides = false;
};

// What --model and --as name.
struct EntryName {
  std::optional<std::string> model, new_id;
};

// What an earlier calibration wrote into `target` is built upon, not lost; a
// new id's own file is left out, so that the same name again replaces it.
void settle_overlays(const std::filesystem::path& target, const EntryName& name,
                     CatalogSource& source);

// Refuses to replace a file that is no overlay of this model alone, unless
// `force`. Throws Error (usage).
void check_target(const std::filesystem::path& path, const std::string& id, bool force);

Json overlay_of(const Subject& subject, const std::string& date);

// The catalog as it will be with the overlay. Throws Error (bad_catalog) where
// they do not go together.
Catalog catalog_with(const Json& overlay, const CatalogSource& source);

// Every row once more, by the entry as it will be read: what is written must
// say what was reported. Throws Error (failure).
void check_entry(const Catalog& catalog, const Subject& subject, const Calibration& calibration);

// The task that the stage's rows are of.
Task task_of(const Stage& stage);

// Commands that put the file in place and use it.
std::vector<std::string> next_commands(const std::filesystem::path& written, const Subject& subject,
                                       const Calibration& calibration);

}  // namespace vcgpu::cli
