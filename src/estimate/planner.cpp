#include "vcgpu/planner.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "estimate/levers.hpp"
#include "estimate/stage_planner.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

std::string group_label(const GpuGroup& group) {
  if (group.count < 1) return fmt::format("1/{:.0f} of {}", 1 / group.count, group.gpu->name);
  if (group.count == 1) return group.gpu->name;
  return fmt::format("{} x {}", number_text(group.count), group.gpu->name);
}

std::string vram_text(Bytes bytes) { return fmt::format("{:.1f} GiB", in_gib(bytes)); }

std::string capability_text(const ComputeCapability& c) {
  return fmt::format("{}.{}", c.major, c.minor);
}

// What rules the hardware out before any memory is counted.
std::optional<Obstacle> hardware_obstacle(const Workload& workload, const GpuGroup& group) {
  const VoiceModel& model = workload.model();
  if (workload.asked.precision && !supports(*group.gpu, workload.asked.precision->value)) {
    const Precision asked = workload.asked.precision->value;
    return Obstacle{
        "no-precision",
        fmt::format("{} has no {}{}", group.gpu->name, name_of(asked),
                    asked == Precision::bf16 ? ", only a slow emulation" : ""),
        supports(*group.gpu, Precision::fp16) ? "--precision fp16" : "--precision fp32"};
  }
  if (workload.asked.commercial.value && model.licence.commercial == "no")
    return Obstacle{"licence",
                    fmt::format("the weights of {} are under {}: no commercial use", model.name,
                                model.licence.weights),
                    "a model whose licence allows it: vcgpu models list"};
  // Each slice is a device of its own to a process, and NCCL joins none of them.
  if (is_training(workload.task) && group.gpus() > 1 &&
      group.gpu->id.find('/') != std::string::npos)
    return Obstacle{"mig-slices-not-joined",
                    "a training runs on one MIG slice: slices are not joined",
                    "--gpu-count 1, or a larger slice"};
  const std::vector<Vendor>& vendors = model.vendors;
  if (std::find(vendors.begin(), vendors.end(), group.gpu->vendor) == vendors.end())
    return Obstacle{"vendor-not-supported",
                    fmt::format("{}'s own instructions do not cover {} GPUs", model.name,
                                name_of(group.gpu->vendor)),
                    "an NVIDIA GPU"};
  if (!workload.variant().pins || !group.gpu->compute_capability) return std::nullopt;
  const Pins& pins = *workload.variant().pins;
  const ComputeCapability& has = *group.gpu->compute_capability;
  if (pins.min_compute_capability && has < *pins.min_compute_capability)
    return Obstacle{
        "compute-capability",
        fmt::format("{} needs compute capability {} or newer; {} has {}", model.name,
                    capability_text(*pins.min_compute_capability), group.gpu->name,
                    capability_text(has)),
        fmt::format("--compute-capability {}..", capability_text(*pins.min_compute_capability))};
  if (pins.max_compute_capability && has > *pins.max_compute_capability)
    return Obstacle{
        "compute-capability",
        fmt::format("{} pins a framework ({}) that knows compute capability up to {}; {} has {}",
                    model.name, pins.framework, capability_text(*pins.max_compute_capability),
                    group.gpu->name, capability_text(has)),
        fmt::format("--compute-capability ..{}", capability_text(*pins.max_compute_capability))};
  return std::nullopt;
}

Range<Seconds> total_time(const std::vector<StageDuration>& durations) {
  Range<Seconds> total{};
  for (const StageDuration& duration : durations) total = total + duration.time;
  return total;
}

// Slicing, transcription, features: sequential work before training.
void add_preprocessing(const Workload& workload, const Catalog& catalog, GroupPlan& plan) {
  for (const Preprocess& step : workload.variant().preprocess) {
    const double sigma = catalog.assumptions().speed.sigma.at(step.basis);
    plan.durations.push_back({.stage = step.id,
                              .time = log_normal_range(workload.dataset.value * step.rtf, sigma),
                              .passes = 0,
                              .basis = step.basis});
  }
}

// The stage that lacks most, and one change that makes all of them fit.
Obstacle obstacle_of(const std::vector<StageMisfit>& misfits) {
  const StageMisfit& worst =
      *std::max_element(misfits.begin(), misfits.end(),
                        [](const StageMisfit& a, const StageMisfit& b) { return a.lack < b.lack; });
  std::optional<double> batch = misfits.front().batch;
  std::optional<Seconds> clip = misfits.front().max_clip;
  Bytes needed;
  for (const StageMisfit& misfit : misfits) {
    batch = batch && misfit.batch ? std::optional(std::min(*batch, *misfit.batch)) : std::nullopt;
    clip =
        clip && misfit.max_clip ? std::optional(std::min(*clip, *misfit.max_clip)) : std::nullopt;
    needed = std::max(needed, misfit.needed);
  }
  Obstacle obstacle{"does-not-fit", worst.message, {}};
  if (batch)
    obstacle.nearest_fix =
        fmt::format("batch {} instead of {}", number_text(*batch), number_text(worst.asked_batch));
  else if (clip)
    obstacle.nearest_fix = fmt::format("clips up to {} instead of {}", duration_text(*clip),
                                       duration_text(worst.asked_clip));
  else
    obstacle.nearest_fix = fmt::format("a GPU with {:.1f} GiB usable or more", in_gib(needed));
  return obstacle;
}

// Peak, verdict and time of `plan.stages`.
void sum_up(const Workload& workload, const Catalog& catalog, GroupPlan& plan) {
  // One stage alone was asked for: its data is prepared already.
  if (!workload.asked.stage) add_preprocessing(workload, catalog, plan);
  const auto worse = [](const Fit& a, const Fit& b) {
    return std::tie(b.verdict, b.oom_probability) < std::tie(a.verdict, a.oom_probability);
  };
  bool timed = plan.stages.size() == workload.stages.size();
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlannedStage& stage = plan.stages[i];
    timed = timed && stage.duration.has_value();
    if (stage.duration) plan.durations.push_back(*stage.duration);
    if (i == 0 || stage.device.expected > plan.device.expected) {
      plan.peak_stage = i;
      plan.device = stage.device;
    }
    if (i == 0 || worse(stage.fit, plan.fit)) plan.fit = stage.fit;
  }
  if (!timed) return;
  plan.time = total_time(plan.durations);
  plan.time_basis = Basis::measured;
  for (const PlannedStage& stage : plan.stages)
    plan.time_basis = std::max(plan.time_basis, stage.duration->basis);
}

void plan_training(const Workload& workload, const Catalog& catalog, GroupPlan& plan) {
  std::vector<StageMisfit> misfits;
  for (const StageWorkload& stage : workload.stages) {
    StageOutcome outcome = plan_stage(workload, stage, plan.group, catalog);
    if (outcome.obstacle && !plan.obstacle) plan.obstacle = std::move(outcome.obstacle);
    if (outcome.misfit) misfits.push_back(std::move(*outcome.misfit));
    if (outcome.stage) plan.stages.push_back(std::move(*outcome.stage));
  }
  if (!misfits.empty() && !plan.obstacle) plan.obstacle = obstacle_of(misfits);
  sum_up(workload, catalog, plan);
}

Fit fit_of(const InferenceWorkload& inference, const Workload& workload, const GroupPlan& plan,
           int streams, const Assumptions& assumptions) {
  const InferencePlan candidate{inference.precision.value, inference.offload.value, streams,
                                plan.group.gpus()};
  return judge_fit(estimate_memory(inference, candidate, assumptions).device, plan.usable,
                   workload.asked.headroom.value, assumptions);
}

// The most concurrent requests that memory holds, at most `wanted`.
int streams_in_memory(const InferenceWorkload& inference, const Workload& workload,
                      const GroupPlan& plan, int wanted, const Assumptions& assumptions) {
  int low = 0;
  int high = wanted;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (fit_of(inference, workload, plan, middle, assumptions).verdict == Verdict::fits)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// What a stream's audio costs in GPU time bounds how many keep up.
std::optional<Obstacle> speed_obstacle(const InferenceWorkload& inference, const Workload& workload,
                                       const GroupPlan& plan) {
  if (workload.task != Task::realtime || !plan.speed) return std::nullopt;
  if (plan.speed->rtf.expected > inference.max_rtf.value)
    return Obstacle{
        "too-slow",
        fmt::format("real-time factor {:.2f} on {}, above {:.2f}", plan.speed->rtf.expected,
                    group_label(plan.group), inference.max_rtf.value),
        "a faster GPU, another --runtime, or a higher --max-rtf"};
  if (inference.latency && !plan.speed->first_audio_ms)
    return Obstacle{
        "unknown-latency",
        fmt::format("the time to the first audio of {} is not known", workload.variant().name),
        "leave --latency out"};
  if (inference.latency && plan.speed->first_audio_ms &&
      plan.speed->first_audio_ms->expected > inference.latency->value.count() * 1000)
    return Obstacle{"too-late",
                    fmt::format("first audio after {:.0f} ms on {}, above {}",
                                plan.speed->first_audio_ms->expected, group_label(plan.group),
                                duration_text(inference.latency->value)),
                    "a faster GPU or a longer --latency"};
  return std::nullopt;
}

void plan_inference(const Workload& workload, const Catalog& catalog, GroupPlan& plan) {
  InferenceWorkload inference = *workload.inference;
  plan.served = &*workload.inference;
  const Assumptions& assumptions = catalog.assumptions();
  const std::optional<Precision> precision = inference_precision(inference, *plan.group.gpu);
  if (!precision) {
    plan.obstacle = Obstacle{
        "no-precision",
        fmt::format("{} has no {}, and {} is not known in another precision", plan.group.gpu->name,
                    name_of(inference.precision.value), workload.variant().name),
        "a GPU with compute capability 8.0 or newer"};
    return;
  }
  inference.precision.value = *precision;
  plan.speed = estimate_inference_speed(inference, plan.group, catalog);
  int wanted = 1;
  if (workload.task == Task::realtime) {
    const int keeping_up =
        plan.speed ? std::max(1, static_cast<int>(std::min(
                                     1e6, inference.max_rtf.value / plan.speed->rtf.expected)))
        // Not known to keep up: as many as were asked for are sized.
        : workload.asked.streams ? 1'000'000
                                 : 1;
    const double active =
        std::ceil(inference.streams.value * inference.duty.value / plan.group.gpus());
    wanted = std::max(1, std::min(keeping_up, static_cast<int>(std::min(active, 1e6))));
  }
  const int streams =
      std::max(1, streams_in_memory(inference, workload, plan, wanted, assumptions));
  plan.inference =
      InferencePlan{inference.precision.value, inference.offload.value, streams, plan.group.gpus()};
  plan.device = estimate_memory(inference, *plan.inference, assumptions).device;
  plan.fit = judge_fit(plan.device, plan.usable, workload.asked.headroom.value, assumptions);
  if (plan.fit.verdict == Verdict::does_not_fit) {
    const Bytes reserve = reserve_on(*plan.group.gpu, workload.asked, assumptions);
    plan.obstacle = Obstacle{
        "does-not-fit",
        fmt::format("needs {} for one request, {} gives {}", vram_text(plan.device.expected),
                    group_label(plan.group), vram_text(plan.usable)) +
            spill_note(workload),
        fmt::format("a GPU with {} usable or more", vram_text(plan.device.high + reserve))};
    return;
  }
  plan.obstacle = speed_obstacle(inference, workload, plan);
  if (!plan.speed) return;
  plan.time_basis = plan.speed->basis;
  if (workload.task == Task::batch) {
    const double gpus = plan.group.gpus();
    plan.time =
        plan.speed->rtf.map([&](double rtf) { return inference.volume.value * rtf / gpus; });
    plan.durations.push_back(
        {.stage = "synthesis", .time = *plan.time, .passes = 0, .basis = plan.speed->basis});
  }
}

}  // namespace

GroupPlan plan_group(const Workload& workload, const GpuGroup& group, const Catalog& catalog) {
  GroupPlan plan;
  plan.group = group;
  plan.usable = usable_vram(group, reserve_on(*group.gpu, workload.asked, catalog.assumptions()));
  plan.obstacle = hardware_obstacle(workload, group);
  if (plan.obstacle) return plan;
  if (is_training(workload.task)) {
    plan_training(workload, catalog, plan);
  } else {
    plan_inference(workload, catalog, plan);
  }
  return plan;
}

GroupPlan plan_of_stages(const Workload& workload, const GpuGroup& group, const Catalog& catalog,
                         std::vector<PlannedStage> stages) {
  GroupPlan plan;
  plan.group = group;
  plan.usable = usable_vram(group, reserve_on(*group.gpu, workload.asked, catalog.assumptions()));
  plan.stages = std::move(stages);
  sum_up(workload, catalog, plan);
  return plan;
}

MemoryEstimate memory_of(const Workload& workload, const GroupPlan& plan, std::size_t stage,
                         const Assumptions& assumptions) {
  if (plan.inference)
    return estimate_memory(plan.served != nullptr ? *plan.served : *workload.inference,
                           *plan.inference, assumptions);
  return estimate_memory(*plan.stages.at(stage).workload, plan.stages.at(stage).plan, assumptions);
}

}  // namespace vcgpu
