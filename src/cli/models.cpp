#include <algorithm>

#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/workload_flags.hpp"
#include "report/entry_json.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  ListingFlags listing;
  std::optional<std::string> task;
  bool commercial = false;
};

// The words that --task of recommend takes.
void add_filters(CLI::App& command, Flags& flags) {
  add_value(command, "--task", flags.task, "train, finetune, realtime or batch")->group("Models");
  command
      .add_flag("--commercial", flags.commercial, "not those whose licence forbids commercial use")
      ->group("Models");
}

ExitCode run_list(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  std::optional<Task> task;
  if (flags.task) task = parse_task(*flags.task);
  Listing listing{.command = "models list"};
  for (const VoiceModel& model : catalog.models()) {
    const std::vector<Task> tasks = tasks_of(model);
    if (task && std::find(tasks.begin(), tasks.end(), *task) == tasks.end()) {
      ++listing.refused["task"];
    } else if (flags.commercial && model.licence.commercial == "no") {
      ++listing.refused["commercial"];
    } else {
      listing.results.push_back(voice_model_row(model));
    }
  }
  listing.total = listing.results.size();
  return write_list(std::move(listing), catalog, options, models_shape(), models_table);
}

// MODEL@VARIANT shows that variant and the stages it is trained in.
VoiceModel chosen_part(const ModelChoice& choice) {
  VoiceModel model = *choice.model;
  if (!choice.variant_named) return model;
  const std::vector<std::string>& keys = choice.variant->stages;
  model.variants = {*choice.variant};
  std::erase_if(model.stages, [&](const Stage& stage) {
    return std::find(keys.begin(), keys.end(), stage.key) == keys.end();
  });
  return model;
}

ExitCode run_show(const Flags& flags) {
  const CommonOptions options = read(flags.listing.common);
  const Catalog catalog = load_catalog(options.catalog);
  Listing listing{.command = "models show"};
  std::string cards;
  for (const std::string& id : flags.listing.ids) {
    const ModelChoice choice = catalog.model(id);
    const VoiceModel model = chosen_part(choice);
    if (!choice.note.empty()) listing.warnings.push_back({"model-name", choice.note});
    listing.results.push_back(voice_model_entry(model));
    cards += (cards.empty() ? "" : "\n") +
             voice_model_card(model, choice.note, card_context(catalog, options));
  }
  listing.total = listing.results.size();
  return write_show(std::move(listing), catalog, options, cards);
}

}  // namespace

void add_models(CLI::App& app, Action& action) {
  const auto flags = std::make_shared<Flags>();
  add_listing(
      app, action,
      {.name = "models",
       .id = "MODEL",
       .summary = "Voice models of the catalog: variants, stages, memory, speed, licence.",
       .list =
           {.summary = "What each voice model is, what it can do, and how well it is known.",
            .examples = {"vcgpu models list", "vcgpu models list --task finetune --commercial",
                         "vcgpu models list -o names"},
            .json_fields =
                "results[].{id, name, family, default_variant, variants, tasks, "
                "licence.commercial, basis.{memory, speed}.{training, inference}, summary, as_of}, "
                "total, rejected, warnings"},
       .show = {.summary =
                    "Everything that the catalog knows about a model: what was measured, what "
                    "was reported, what is derived and what is not known.",
                .examples = {"vcgpu models show gpt-sovits@v2pro", "vcgpu models show xtts -o wide",
                             "vcgpu models show rvc -o json | jq '.results[0].stages[].training'"},
                .json_fields = "results[] with the keys of data/models.json, total, warnings"},
       .add_filters = [flags](CLI::App& command) { add_filters(command, *flags); },
       .run_list = [flags] { return run_list(*flags); },
       .run_show = [flags] { return run_show(*flags); }},
      flags->listing);
}

}  // namespace vcgpu::cli
