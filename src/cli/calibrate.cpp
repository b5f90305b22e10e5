#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "catalog/measurement.hpp"
#include "cli/calibration_entry.hpp"
#include "cli/commands.hpp"
#include "estimate/calibration.hpp"
#include "estimate/own_model.hpp"
#include "host/output.hpp"
#include "report/calibration_report.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> files;
  std::optional<std::string> model, stage, as, parameters, frozen, family, weight_bytes,
      frozen_bytes, write;
  bool force = false;
};

[[noreturn]] void refuse(const std::string& code, const std::string& message,
                         const std::string& hint) {
  throw Error(ExitCode::usage, code, message, hint);
}

// "441M", "1.2B", "441018563".
double parse_parameters(const std::string& text, std::string_view what) {
  double factor = 1;
  std::string_view number = trimmed(text);
  if (!number.empty()) {
    const char unit = lower(number.substr(number.size() - 1)).front();
    factor = unit == 'k' ? 1e3 : unit == 'm' ? 1e6 : unit == 'b' || unit == 'g' ? 1e9 : 1;
  }
  if (factor > 1) number.remove_suffix(1);
  return std::round(factor * parse_number(number, what, {1 / factor, 1e12 / factor}));
}

const Stage& stage_of(const VoiceModel& model, const std::string& key) {
  return *std::find_if(model.stages.begin(), model.stages.end(),
                       [&](const Stage& stage) { return stage.key == key; });
}

const Stage& named_stage(const ModelChoice& choice, const std::optional<std::string>& name) {
  std::vector<const Stage*> stages = stages_of(*choice.model, *choice.variant);
  std::erase_if(stages, [](const Stage* stage) { return stage->training.recipes.empty(); });
  const std::string label = choice.model->id + "@" + choice.variant->id;
  std::vector<std::string> known;
  for (const Stage* stage : stages) known.push_back(stage->id);
  if (stages.empty())
    refuse("unknown-stage", fmt::format("vcgpu knows no training of {}", label),
           "describe the stage as a model of its own: --as NEW-ID --parameters N");
  if (!name) {
    if (stages.size() == 1) return *stages.front();
    refuse("missing-flag", fmt::format("--stage is missing: {} trains several", label),
           "one of: " + joined(known));
  }
  const std::string wanted = normalised_name(*name);
  for (const Stage* stage : stages) {
    const bool by_alias =
        std::any_of(stage->aliases.begin(), stage->aliases.end(),
                    [&](const std::string& alias) { return normalised_name(alias) == wanted; });
    if (normalised_name(stage->id) == wanted || by_alias) return *stage;
  }
  refuse("unknown-stage", fmt::format("{} has no stage '{}'", label, printable(*name, 40)),
         did_you_mean(*name, known, "stages: " + joined(known)));
}

double bytes_flag(const std::optional<std::string>& text, const char* what) {
  return text ? parse_number(*text, what, {0.25, 8}) : 4;
}

void refuse_known_id(const std::string& id, const Catalog& catalog) {
  const std::string wanted = normalised_name(id);
  for (const VoiceModel& model : catalog.models()) {
    const bool taken =
        normalised_name(model.id) == wanted ||
        std::any_of(model.aliases.begin(), model.aliases.end(),
                    [&](const std::string& alias) { return normalised_name(alias) == wanted; });
    if (taken)
      refuse("known-model", fmt::format("--as: the catalog has a {} already", model.id),
             "another name; or, to replace a part of it, leave --as out: --model " + model.id);
  }
}

Subject own_subject(const Flags& flags, const std::vector<Measurement>& rows,
                    const std::string& date, const Catalog& catalog) {
  OwnModelFacts facts;
  facts.id = *flags.as;
  facts.stage = flags.stage.value_or("train");
  if (!flags.parameters)
    refuse("missing-flag", "--parameters is missing: the number of parameters that are trained",
           "sum(p.numel() for p in model.parameters() if p.requires_grad)");
  facts.parameters = parse_parameters(*flags.parameters, "--parameters");
  if (flags.frozen) facts.frozen = parse_parameters(*flags.frozen, "--frozen");
  if (flags.family) facts.family = parse_choice(*flags.family, "--family", family_names());
  facts.weight_bytes = bytes_flag(flags.weight_bytes, "--weight-bytes");
  facts.frozen_bytes = bytes_flag(flags.frozen_bytes, "--frozen-bytes");
  facts.date = date;
  Subject subject{.model = own_model(facts, rows, catalog),
                  .variant = {},
                  .stage_key = facts.stage,
                  .note = {},
                  .overrides = false};
  subject.variant = subject.model.default_variant;
  return subject;
}

Subject known_subject(const Flags& flags, const Catalog& catalog) {
  for (const auto& [value, name] : {std::pair{&flags.parameters, "--parameters"},
                                    {&flags.frozen, "--frozen"},
                                    {&flags.family, "--family"},
                                    {&flags.weight_bytes, "--weight-bytes"},
                                    {&flags.frozen_bytes, "--frozen-bytes"}}) {
    if (*value)
      refuse("bad-value", fmt::format("{} is for a model of your own", name),
             "leave it out, or --model: the catalog knows this of its models");
  }
  const ModelChoice choice = catalog.model(*flags.model);
  Subject subject{.model = *choice.model,
                  .variant = choice.variant->id,
                  .stage_key = named_stage(choice, flags.stage).key,
                  .note = choice.note,
                  .overrides = !flags.as};
  if (!flags.as) return subject;
  // A model of the same build under a name of its own.
  subject.model.name += fmt::format(" ({})", *flags.as);
  subject.model.id = *flags.as;
  subject.model.aliases.clear();
  subject.model.alias_notes.clear();
  for (Variant& variant : subject.model.variants) variant.aliases.clear();
  return subject;
}

void warn_of_speeds(const std::vector<Measurement>& rows, const Catalog& catalog,
                    CalibrationReport& report) {
  std::size_t timed = 0;
  for (const Measurement& row : rows) {
    if (!row.seconds_per_step) continue;
    ++timed;
    if (row.gpu.empty() || catalog.find_gpu(row.gpu) != nullptr) continue;
    report.warnings.push_back(
        {"unknown-gpu", fmt::format("GPU '{}' is not in the catalog: how long its steps took is "
                                    "not used; see: vcgpu gpus list",
                                    printable(row.gpu, 60))});
    return;
  }
  if (timed > 0 && report.speeds.empty())
    report.warnings.push_back(
        {"no-gpu", "how long steps took is not used: it needs the column gpu, and one GPU"});
}

void check_flags(const Flags& flags) {
  for (const auto& [value, name] : {std::pair{&flags.model, "--model"},
                                    {&flags.stage, "--stage"},
                                    {&flags.as, "--as"},
                                    {&flags.parameters, "--parameters"},
                                    {&flags.frozen, "--frozen"},
                                    {&flags.family, "--family"},
                                    {&flags.weight_bytes, "--weight-bytes"},
                                    {&flags.frozen_bytes, "--frozen-bytes"},
                                    {&flags.write, "--write"}}) {
    if (*value && trimmed(**value).empty())
      refuse("bad-value", fmt::format("{}: empty", name), "see: vcgpu calibrate --help");
  }
  if (flags.files.empty())
    refuse("missing-argument", "vcgpu calibrate: no file of measurements named",
           "CSV or JSON, - for standard input; see: vcgpu calibrate --help");
  if (flags.files.size() > 1)
    refuse("unknown-argument",
           fmt::format("vcgpu calibrate: '{}' is not expected here", printable(flags.files[1], 60)),
           "one file: put all rows into it");
  if (!flags.model && !flags.as)
    refuse("missing-flag", "--model is missing",
           "a model of the catalog, or --as NEW-ID --parameters N for one of your own");
  if (flags.write && *flags.write == "-")
    refuse("bad-value", "--write: a path is needed", "on standard output: -o json | jq .entry");
  // A pipe or a device would be waited for, or replaced by a file.
  if (flags.write) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(*flags.write, error);
    const bool usual = status.type() == std::filesystem::file_type::not_found ||
                       status.type() == std::filesystem::file_type::none ||
                       std::filesystem::is_regular_file(*flags.write, error);
    if (!usual)
      refuse("bad-value", fmt::format("--write: {} is no file", printable(*flags.write, 200)),
             "a path to write a file to");
  }
  if (flags.force && !flags.write)
    refuse("bad-value", "--force says nothing without --write", "leave it out");
}

ExitCode run(const Flags& flags) {
  CommonOptions options = read(flags.common);
  check_flags(flags);
  const std::string& file = flags.files.front();
  const JsonText text{file == "-" ? "standard input" : file,
                      read_file(file, max_measurement_bytes)};
  const std::vector<Measurement> rows = read_measurements(text);
  if (flags.write)
    settle_overlays(*flags.write, {.model = flags.model, .new_id = flags.as}, options.catalog);
  const Catalog before = load_catalog(options.catalog);
  if (flags.as) {
    check_id(*flags.as, "--as");
    refuse_known_id(*flags.as, before);
  }
  std::string date;
  for (const Measurement& row : rows) date = std::max(date, row.date);
  if (date.empty()) date = date_text(options.today);

  Subject subject =
      flags.model ? known_subject(flags, before) : own_subject(flags, rows, date, before);
  if (flags.write) check_target(*flags.write, subject.model.id, flags.force);
  const Stage stage = stage_of(subject.model, subject.stage_key);
  const CalibrationRequest request{.stage = &stage,
                                   .recipe = &stage.training.recipes.at(task_of(stage)),
                                   .rows = rows,
                                   .file = text.file,
                                   .date = date};
  Calibration calibration = calibrate(request, before.assumptions());
  CalibrationReport report;
  report.speeds = measured_speeds(stage, rows, date, before);
  TrainingSpeed& speed = calibration.stage.training.speed;
  // A guess has nothing to say beside measurements.
  if (!report.speeds.empty() && stage.training.profiles.empty()) speed.references.clear();
  take_speeds(speed, report.speeds);
  for (Stage& other : subject.model.stages) {
    if (other.key == subject.stage_key) other = calibration.stage;
  }

  report.entry = overlay_of(subject, date);
  const Catalog after = catalog_with(report.entry, options.catalog);
  check_entry(after, subject, calibration);
  report.catalog = &after;
  report.calibration = &calibration;
  report.before = &stage;
  report.model = subject.model.id;
  report.variant = subject.variant;
  report.model_name = subject.model.name;
  report.overrides = subject.overrides;
  report.file = text.file;
  if (!subject.note.empty()) report.warnings.push_back({"model-name", subject.note});
  warn_of_speeds(rows, before, report);
  if (flags.write) {
    write_file_atomically(*flags.write, overlay_text(report.entry));
    report.written = *flags.write;
    report.next = next_commands(*flags.write, subject, calibration);
  }
  const bool table = options.format == Format::table || options.format == Format::wide;
  write_result(table ? calibration_table(report, options.style)
                     : render_records(calibration_document(report), options.format, options.fields,
                                      calibration_shape()),
               options.out_file);
  return ExitCode::answered;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  CLI::App& command = add_command(
      app, "calibrate",
      "Fits a model's memory and speed to your own measurements, and writes the entry.",
      {"vcgpu calibrate runs.csv --model xtts --write xtts.json",
       "vcgpu calibrate runs.csv --as my-model --parameters 120M --write my-model.json",
       "vcgpu calibrate - --model sovits --stage s2 -o json < runs.jsonl"},
      "results[].{stage, precision, terms, rows, largest_residual_percent, spread, measured, "
      "largest_row, warnings}, speeds, entry, written, next, warnings");
  const auto flags = std::make_shared<Flags>();
  command.add_option("MEASUREMENTS", flags->files, "CSV, JSON or JSON lines; - for standard input");
  const auto add = [&](const char* name, std::optional<std::string>& target, const char* help) {
    add_value(command, name, target, help)->group("Model");
  };
  add("--model", flags->model, "MODEL or MODEL@VARIANT that the rows are of");
  add("--stage", flags->stage, "stage of the pipeline; needed where it has several");
  add("--as", flags->as, "id of a new entry, instead of replacing a part of one");
  add("--parameters", flags->parameters, "of your own model: parameters trained, 120M");
  add("--frozen", flags->frozen, "and parameters in memory that are not trained (0)");
  add("--family", flags->family, "conv-gan, transformer, flow or diffusion (transformer)");
  add("--weight-bytes", flags->weight_bytes, "bytes of a trained weight (4)");
  add("--frozen-bytes", flags->frozen_bytes, "bytes of a frozen weight (4)");
  add_value(command, "--write", flags->write, "write the entry there, all or nothing")
      ->group("Entry");
  command.add_flag("--force", flags->force, "replace a file that is no such entry")->group("Entry");
  add_common_flags(command, flags->common);
  command.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace vcgpu::cli
