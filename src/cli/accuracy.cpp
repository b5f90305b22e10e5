#include "report/accuracy.hpp"

#include <algorithm>

#include "cli/commands.hpp"
#include "host/output.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  CommonFlags common;
  std::optional<std::string> evidence;
  bool show_misses = false;
};

RecordShape shape() {
  const std::vector<std::string> columns{
      "model",        "reports", "threads", "ran_out",      "worked",    "missed_ooms",
      "false_alarms", "tight",   "peaks",   "median_error", "p90_error", "inside_range_share",
      "median_waste"};
  return {.columns = columns, .name_columns = {"model"}, .keys = columns};
}

ExitCode run(const Flags& flags) {
  const CommonOptions options = read(flags.common);
  const Catalog catalog = load_catalog(options.catalog);
  if (flags.evidence && flags.evidence->empty())
    throw Error(ExitCode::usage, "bad-value", "--evidence: empty", "a path, or -");
  const std::vector<EvidenceReport> reports =
      flags.evidence ? read_evidence_file(*flags.evidence) : embedded_evidence();
  std::vector<Judgement> judgements = judge_evidence(reports, catalog);
  // Evidence of one's own has no half that anything was fitted to.
  const auto middle = flags.evidence
                          ? judgements.end()
                          : std::stable_partition(judgements.begin(), judgements.end(),
                                                  [](const Judgement& judgement) {
                                                    return judgement.half == EvidenceHalf::testing;
                                                  });
  const AccuracyReport report{.catalog = &catalog.info(),
                              .testing = {judgements.begin(), middle},
                              .fitting = {middle, judgements.end()},
                              .evidence = flags.evidence.value_or("shipped"),
                              .show_misses = flags.show_misses};
  if (options.format == Format::table || options.format == Format::wide)
    write_result(accuracy_text(report, options.style), options.out_file);
  else if (options.format == Format::markdown && options.fields.empty())
    write_result(accuracy_markdown(report), options.out_file);
  else
    write_result(render_records(accuracy_document(report), options.format, options.fields, shape()),
                 options.out_file);
  return judgements.empty() ? ExitCode::nothing_fits : ExitCode::answered;
}

}  // namespace

void add_accuracy(CLI::App& app, Action& action) {
  CLI::App& command = add_command(
      app, "accuracy",
      "How right the memory estimates are, on public reports that nothing was fitted to.",
      {"vcgpu accuracy", "vcgpu accuracy --show-misses",
       "vcgpu accuracy -o json | jq '.totals.testing'", "vcgpu accuracy --evidence mine.jsonl"},
      "totals.{testing, fitting}, results[] by model, judgements[], not_judged[]");
  const auto flags = std::make_shared<Flags>();
  add_value(command, "--evidence", flags->evidence,
            "other reports, in the form of data/evidence.json or JSON lines")
      ->group("Evidence");
  command.add_flag("--show-misses", flags->show_misses, "each wrong verdict and far peak, by name")
      ->group("Evidence");
  add_common_flags(command, flags->common);
  command.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace vcgpu::cli
