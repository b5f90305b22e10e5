#include "cli/calibration_entry.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "catalog/load.hpp"
#include "host/environment.hpp"
#include "report/calibration_report.hpp"
#include "report/entry_json.hpp"
#include "vcgpu/names.hpp"
#include "vcgpu/workload.hpp"

namespace vcgpu::cli {

namespace fs = std::filesystem;

namespace {

// The file that --write may replace: an overlay of this model alone, as
// calibrate writes them.
bool is_own_overlay(const fs::path& path, const std::string& id) {
  try {
    const JsonText text{path.string(), read_file(path, max_json_bytes)};
    const Json document = parse_source(text, ExitCode::usage);
    if (!document.is_object() || !document.contains("models")) return false;
    const bool nothing_else =
        std::all_of(document.items().begin(), document.items().end(), [](const auto& item) {
          return item.key() == "schema_version" || item.key() == "as_of" || item.key() == "models";
        });
    const Json& models = document["models"];
    return nothing_else && models.is_array() && models.size() == 1 && models[0].is_object() &&
           models[0].value("id", "") == id;
  } catch (const Error&) {
    return false;  // whatever it is, it is not ours
  } catch (const Json::exception&) {
    return false;
  }
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  return fs::equivalent(a, b, none);
}

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+@~").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void settle_overlays(const fs::path& target, const EntryName& name, CatalogSource& source) {
  std::vector<fs::path>& overlays = source.overlays;
  std::error_code none;
  if (!fs::is_regular_file(target, none)) return;
  const auto same = [&](const fs::path& overlay) { return is_same_file(overlay, target); };
  const bool loaded = std::any_of(overlays.begin(), overlays.end(), same);
  if (name.new_id) {
    if (loaded && is_own_overlay(target, *name.new_id)) std::erase_if(overlays, same);
    return;
  }
  const Catalog catalog = load_catalog(source);
  if (!loaded && is_own_overlay(target, catalog.model(*name.model).model->id))
    overlays.push_back(target);
}

Task task_of(const Stage& stage) {
  return stage.training.recipes.contains(Task::finetune) ? Task::finetune
                                                         : stage.training.recipes.begin()->first;
}

void check_target(const fs::path& path, const std::string& id, bool force) {
  std::error_code none;
  if (force || !fs::is_regular_file(path, none)) return;
  if (is_own_overlay(path, id)) return;
  throw Error(ExitCode::usage, "file-exists",
              fmt::format("--write: {} is there, and is no overlay of {} alone",
                          printable(path.string(), 200), id),
              "another name, or --force to replace it");
}

Catalog catalog_with(const Json& overlay, const CatalogSource& source) {
  std::vector<JsonText> overlays = read_texts(source.overlays);
  overlays.push_back({"the new entry", overlay_text(overlay)});
  const std::vector<JsonText> base =
      source.directory ? read_catalog_texts(*source.directory) : embedded_texts();
  std::string origin = source.directory ? source.directory->string() : "embedded";
  for (const fs::path& path : source.overlays) origin += " + " + path.string();
  return Catalog(read_catalog_parts(base, overlays, origin + " + the new entry"));
}

Json overlay_of(const Subject& subject, const std::string& date) {
  const Json whole = voice_model_entry(subject.model);
  Json entry = whole;
  // An overlay replaces a list as a whole: all stages, one of them new.
  if (subject.overrides) entry = Json{{"id", whole["id"]}, {"stages", whole["stages"]}};
  return Json{{"schema_version", 1}, {"as_of", date}, {"models", Json::array({entry})}};
}

void check_entry(const Catalog& catalog, const Subject& subject, const Calibration& calibration) {
  WorkloadRequest request;
  request.task = {task_of(calibration.stage), Origin::flag};
  request.model = {subject.model.id + "@" + subject.variant, Origin::flag};
  request.stage = Setting<std::string>{calibration.stage.id, Origin::flag};
  const Workload workload = resolve(request, catalog);
  const Stage& stage = *workload.stages.at(0).stage;
  for (const CalibratedProfile& fitted : calibration.profiles) {
    for (const CalibratedRow& row : fitted.rows) {
      StageWorkload again = row.workload;
      again.stage = &stage;
      const MemoryEstimate estimate = estimate_memory(again, row.plan, catalog.assumptions());
      if (std::fabs(estimate.allocated.expected / row.fitted - 1) > 1e-6)
        throw Error(ExitCode::failure, "internal",
                    fmt::format("the new entry says {:.4f} GiB where the fit says {:.4f}",
                                in_gib(estimate.allocated.expected), in_gib(row.fitted)),
                    "this is a fault of vcgpu: please report it");
    }
  }
}

std::vector<std::string> next_commands(const fs::path& written, const Subject& subject,
                                       const Calibration& calibration) {
  std::vector<std::string> commands;
  const fs::path directory = config_directory();
  const bool in_place =
      written.extension() == ".json" && !directory.empty() &&
      is_same_file(written.has_parent_path() ? written.parent_path() : ".", directory);
  if (!in_place && !directory.empty())
    commands.push_back(fmt::format("mkdir -p {0} && cp {1} {0}/{2}.json",
                                   quoted(directory.string()), quoted(written.string()),
                                   subject.model.id));
  const std::string model = subject.variant == subject.model.default_variant
                                ? subject.model.id
                                : subject.model.id + "@" + subject.variant;
  commands.push_back(fmt::format("vcgpu estimate --task {} --model {} --stage {}",
                                 name_of(task_of(calibration.stage)), model,
                                 quoted(calibration.stage.id)));
  return commands;
}

}  // namespace vcgpu::cli
