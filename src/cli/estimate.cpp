#include "base/numbers.hpp"
#include "cli/answer_output.hpp"
#include "cli/commands.hpp"
#include "cli/offer_flags.hpp"
#include "cli/workload_flags.hpp"
#include "report/answer.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  CommonFlags common;
  WorkloadFlags workload;
  HardwareFlags hardware;
};

ExitCode run(const Flags& flags) {
  const CommonOptions options = read(flags.common);
  const WorkloadRequest request = read(flags.workload);
  const Catalog catalog = load_catalog(options.catalog);
  HardwareFlags hardware = flags.hardware;
  std::vector<std::string> gpus;
  if (hardware.gpu) gpus = parse_gpus(*hardware.gpu, catalog);
  const int count =
      hardware.gpu_count
          ? static_cast<int>(parse_integer(*hardware.gpu_count, "--gpu-count", {1, 8}))
          : 1;
  hardware.gpu.reset();
  hardware.gpu_count.reset();
  OfferFilter filter;
  read(hardware, catalog, filter);
  // A filter without --gpu asks for every card that it accepts.
  const bool filtered =
      hardware.vram || hardware.vendor || hardware.arch || hardware.compute_capability;
  if (gpus.empty() && filtered) gpus.emplace_back("all");
  const Workload workload = resolve(request, catalog);
  const Recommendation recommendation = estimate_gpus(workload, catalog, gpus, filter, count);
  const Answer answer{.command = "estimate",
                      .catalog = &catalog,
                      .workload = &workload,
                      .recommendation = &recommendation,
                      .today = options.today,
                      .show_rejected = true,
                      .explain = false};
  write_answer(answer, options);
  return recommendation.candidates.empty() ? ExitCode::nothing_fits : ExitCode::answered;
}

}  // namespace

void add_estimate(CLI::App& app, Action& action) {
  CLI::App& command =
      add_command(app, "estimate",
                  "Memory by component, and time, without offers: on one GPU, on all, or on none.",
                  {"vcgpu estimate --task finetune --model xtts --gpu 3060",
                   "vcgpu estimate --task finetune --model sovits --batch-size 8 --max-clip 8s",
                   "vcgpu estimate --task finetune --model rvc --gpu all -o csv"},
                  "as recommend, with offer and cost null; gpu is null without --gpu");
  const auto flags = std::make_shared<Flags>();
  add_workload_flags(command, flags->workload);
  add_hardware_flags(command, flags->hardware);
  add_common_flags(command, flags->common);
  command.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace vcgpu::cli
