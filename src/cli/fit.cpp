#include "vcgpu/fit.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "cli/commands.hpp"
#include "cli/offer_flags.hpp"
#include "cli/workload_flags.hpp"
#include "host/output.hpp"
#include "report/fit_json.hpp"
#include "report/fit_table.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  CommonFlags common;
  WorkloadFlags workload;
  HardwareFlags hardware;
  bool all = false;
  bool explain = false;
};

const RecordShape& shape() {
  static const RecordShape shape{
      .columns = {"rank", "gpu.id", "gpu.count", "gpu.usable_vram_gib", "solved", "verdict",
                  "oom_probability", "memory.peak_gib.expected", "plan.precision",
                  "plan.batch_size", "plan.batch_unit", "plan.grad_accum", "plan.grad_checkpoint",
                  "plan.lora_rank", "plan.streams_per_gpu", "largest_batch", "longest_clip_s",
                  "duration.hours.expected"},
      .name_columns = {"gpu.id"},
      .keys = {"rank",           "score",   "score_shares",    "gpu",         "offer",
               "plan",           "verdict", "oom_probability", "memory",      "duration",
               "inference",      "cost",    "pareto",          "nearest_fix", "reasons",
               "solved",         "ladder",  "not_available",   "fixed",       "largest_batch",
               "longest_clip_s", "limits",  "settings",        "grid",        "another_card",
               "more_gpus",      "note"}};
  return shape;
}

void write(const Answer& answer, const FitAnswer& fit, const Flags& flags,
           const CommonOptions& options) {
  const bool wide = options.format == Format::wide;
  const FitDetail detail{.more_room = flags.all || flags.explain,
                         .missing = flags.explain,
                         .grid = flags.explain || wide};
  if (wide || options.format == Format::table)
    return write_result(fit_table(answer, fit, detail, options.style), options.out_file);
  write_result(render_records(fit_document(answer, fit), options.format, options.fields, shape()),
               options.out_file);
}

ExitCode run(const Flags& flags) {
  const CommonOptions options = read(flags.common);
  const WorkloadRequest request = read(flags.workload);
  if (!flags.hardware.gpu)
    throw Error(ExitCode::usage, "missing-flag", "--gpu is missing",
                "a card, a slice or a size: --gpu 3060, --gpu a100-80gb/3g.40gb, --gpu 12GB; see: "
                "vcgpu gpus list");
  const Catalog catalog = load_catalog(options.catalog);
  HardwareFlags hardware = flags.hardware;
  const std::vector<std::string> gpus = parse_gpus(*hardware.gpu, catalog);
  const int count =
      hardware.gpu_count
          ? static_cast<int>(parse_integer(*hardware.gpu_count, "--gpu-count", {1, 8}))
          : 1;
  hardware.gpu.reset();
  hardware.gpu_count.reset();
  OfferFilter filter;
  read(hardware, catalog, filter);
  const Workload workload = resolve(request, catalog);
  const FitAnswer fit = fit_gpus(workload, catalog, gpus, filter, count);
  const Answer answer{.command = "fit",
                      .catalog = &catalog,
                      .workload = &workload,
                      .recommendation = &fit.recommendation,
                      .today = options.today,
                      .show_rejected = true,
                      .explain = flags.explain};
  write(answer, fit, flags, options);
  return std::any_of(fit.gpus.begin(), fit.gpus.end(), [](const GpuFit& g) { return g.solved(); })
             ? ExitCode::answered
             : ExitCode::nothing_fits;
}

}  // namespace

void add_fit(CLI::App& app, Action& action) {
  CLI::App& command = add_command(
      app, "fit",
      "What makes it fit on a card: the cheapest sacrifice first, and the settings to type.",
      {"vcgpu fit --task finetune --model xtts --gpu 3060",
       "vcgpu fit --task finetune --model sovits@v3 --lora off --gpu 8GB --all",
       "vcgpu fit --task finetune --model f5-tts --gpu 4090 -o json | jq '.results[0].settings'"},
      "as estimate, and in results[]: solved, ladder[] with stage, lever, recommended, more_room, "
      "plan, peak_gib, needed_gib, verdict, oom_probability, time_factor, hours, quality_cost and "
      "quality; not_available, fixed, largest_batch, longest_clip_s, limits, settings, grid, "
      "another_card, more_gpus, note");
  const auto flags = std::make_shared<Flags>();
  add_workload_flags(command, flags->workload);
  add_hardware_flags(command, flags->hardware);
  command.add_flag("--all", flags->all, "also the rungs beyond what is needed");
  command.add_flag("--explain", flags->explain,
                   "all rungs, levers that are not there, verdicts by clip and batch");
  add_common_flags(command, flags->common);
  command.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace vcgpu::cli
