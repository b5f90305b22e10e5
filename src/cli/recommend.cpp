#include "vcgpu/recommend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/answer_output.hpp"
#include "cli/commands.hpp"
#include "cli/offer_flags.hpp"
#include "cli/workload_flags.hpp"
#include "host/log.hpp"
#include "report/answer.hpp"

namespace vcgpu::cli {

namespace {

struct Flags {
  CommonFlags common;
  WorkloadFlags workload;
  HardwareFlags hardware;
  OfferFlags offers;
};

ExitCode run(const Flags& flags) {
  const CommonOptions options = read(flags.common);
  const WorkloadRequest request = read(flags.workload);
  const Catalog catalog = load_catalog(options.catalog);
  log_step(fmt::format("catalog {} ({}): {} GPUs, {} providers, {} models", catalog.info().version,
                       catalog.info().origin, catalog.gpus().size(), catalog.providers().size(),
                       catalog.model_count()));
  RecommendOptions wanted = read(flags.offers, catalog);
  read(flags.hardware, catalog, wanted.filter);
  wanted.today = options.today;
  if (wanted.filter.deadline && request.task.value == Task::realtime)
    throw Error(ExitCode::usage, "bad-value", "--deadline means nothing for --task realtime",
                "leave it out");
  const Workload workload = resolve(request, catalog);
  const Recommendation recommendation = recommend(workload, catalog, wanted);
  log_step(fmt::format("{} hardware groups planned for {} offers: {} do the job",
                       recommendation.plans.size(), recommendation.considered,
                       recommendation.total));
  const Answer answer{.command = "recommend",
                      .catalog = &catalog,
                      .workload = &workload,
                      .recommendation = &recommendation,
                      .options = &wanted,
                      .today = options.today,
                      .show_rejected = flags.offers.show_rejected,
                      .explain = flags.offers.explain};
  write_answer(answer, options);
  if (!recommendation.candidates.empty()) return ExitCode::answered;
  // Where only age stands in the way, a script should refresh, not give up.
  const bool stale =
      std::any_of(recommendation.rejections.begin(), recommendation.rejections.end(),
                  [](const Rejection& rejection) { return rejection.code == "filter-max-age"; });
  return stale ? ExitCode::stale : ExitCode::nothing_fits;
}

}  // namespace

void add_recommend(CLI::App& app, Action& action) {
  CLI::App& command = add_command(
      app, "recommend",
      "Rank GPUs and offers for a workload, with plan, memory, time and total cost.",
      {"vcgpu recommend --task finetune --model sovits",
       "vcgpu recommend --task finetune --model xtts --dataset 2h --max-clip 8s --pricing "
       "on-demand",
       "vcgpu recommend --task train --model f5-tts --gpu 4090,a100 -o json | jq "
       "'.results[0].cost'"},
      "request, results[] with rank, gpu, offer, plan, verdict, oom_probability, memory, duration, "
      "inference, cost, pareto and reasons; rejected[] with gpu, offer, reason_code, message and "
      "nearest_fix; total, alternatives, warnings");
  const auto flags = std::make_shared<Flags>();
  add_workload_flags(command, flags->workload);
  add_hardware_flags(command, flags->hardware);
  add_offer_flags(command, flags->offers);
  add_common_flags(command, flags->common);
  command.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace vcgpu::cli
