// How fast a GPU is at a stage, from references measured on other GPUs.
//
// speed = (bandwidth / 2039)^0.65 x (T / T_ref)^0.26 relative to an A100 80 GB
// SXM, T the dense tensor rate at the precision. A log-log fit over 14 to 16
// GPUs with 10 to 12 % leave-one-out error; fp32 CUDA-core TFLOPS alone explain
// a third of the variance, which is why they are not used.
#include <algorithm>
#include <cmath>

#include "vcgpu/estimate.hpp"

namespace vcgpu {

namespace {

const std::map<int, double>& row(const ScalingClass& scaling, bool large) {
  return large ? scaling.large : scaling.small;
}

// Between the tabulated 2, 4 and 8 GPUs; 1 GPU loses nothing.
double at_count(const std::map<int, double>& by_count, int count) {
  double below_count = 1;
  double below = 1;
  for (const auto& [tabulated, efficiency] : by_count) {
    if (count <= tabulated) {
      const double t = (std::log2(count) - std::log2(below_count)) /
                       (std::log2(tabulated) - std::log2(below_count));
      return below + t * (efficiency - below);
    }
    below_count = tabulated;
    below = efficiency;
  }
  return below;
}

// seconds = pass time of the plan on the group, scaled from one reference.
std::optional<double> scaled_pass(const SpeedReference& reference, const StageWorkload& stage,
                                  const StagePlan& plan, const GpuGroup& group,
                                  const Catalog& catalog) {
  const SpeedAssumptions& assumptions = catalog.assumptions().speed;
  const TrainingSpeed& speed = stage.stage->training.speed;
  const GpuGroup reference_group{catalog.gpu_with_id(reference.gpu), 1, Interconnect::none};
  const std::optional<double> from = speed_index(reference_group, reference.precision, assumptions);
  const std::optional<double> to = speed_index(group, plan.precision, assumptions);
  if (!from || !to) return std::nullopt;

  const double reference_pass = 1 / reference.steps_per_s;
  const double host = speed.host_per_step.count();
  // A reference faster than the host floor was measured on a faster host.
  double gpu_time = std::max(reference_pass - host, 0.3 * reference_pass);
  double work = plan.batch / reference.batch;
  if (stage.stage->batch_unit == BatchUnit::clips)
    work *=
        (1 - speed.clip_share) + speed.clip_share * (stage.mean_clip.value / reference.mean_clip);
  gpu_time *= work * std::pow(*from / *to, speed.gpu_exponent);
  const double gain = assumptions.mixed_precision_gain.at(stage.stage->family);
  if (is_half(reference.precision) && !is_half(plan.precision)) gpu_time *= gain;
  if (!is_half(reference.precision) && is_half(plan.precision)) gpu_time /= gain;
  if (plan.checkpointing)
    gpu_time *= speed.checkpointing_factor.value_or(assumptions.checkpointing_factor);
  const Method measured = reference.method.value_or(Method::full);
  if (measured == Method::full && plan.method == Method::lora)
    gpu_time *= assumptions.adapter_factor;
  if (measured == Method::lora && plan.method == Method::full)
    gpu_time /= assumptions.adapter_factor;
  return gpu_time;
}

double gradient_bytes(const Training& training, const StagePlan& plan) {
  const double trained =
      plan.method == Method::lora
          ? training.lora->also_trainable + plan.lora_rank * training.lora->parameters_per_rank
          : training.trainable;
  return trained * training.gradient_bytes;
}

// Forward and backward passes that each GPU makes.
double passes_of(const StageWorkload& stage, const StagePlan& plan) {
  // Steps are of the wanted batch: a card that holds less of it per pass makes
  // more passes, not less training.
  if (stage.steps)
    return std::ceil(static_cast<double>(stage.steps->value) * plan.wanted_batch /
                     (plan.batch * plan.gpus));
  const bool frames = stage.stage->batch_unit == BatchUnit::frames;
  const double frames_per_clip =
      stage.lengths[Variable::clip_frames] * (stage.mean_clip.value / stage.max_clip.value);
  const double clips_per_pass =
      frames ? std::max(1.0, plan.batch / std::max(frames_per_clip, 1.0)) : plan.batch;
  return std::ceil(stage.clips / (clips_per_pass * plan.gpus)) * stage.epochs->value;
}

}  // namespace

std::optional<double> speed_index(const GpuGroup& group, Precision precision,
                                  const SpeedAssumptions& a) {
  const Gpu& gpu = *group.gpu;
  if (gpu.bandwidth_gb_s <= 0) return std::nullopt;  // a card known by its size alone
  double rate = 0;
  double reference = a.tf32_reference_tflops;
  double factor = 1;
  if (is_half(precision) && gpu.fp16_tflops) {
    rate = *gpu.fp16_tflops;
    reference = a.fp16_reference_tflops;
  } else if (gpu.tf32_tflops) {
    rate = *gpu.tf32_tflops;
  } else if (gpu.fp32_tflops) {
    rate = *gpu.fp32_tflops;
    factor = a.fp32_without_tf32_factor;
  } else {
    return std::nullopt;
  }
  return factor *
         std::pow(gpu.bandwidth_gb_s * group.share() / a.bandwidth_reference_gb_s,
                  a.bandwidth_exponent) *
         std::pow(rate * group.share() / reference, a.tensor_exponent);
}

double scaling_efficiency(Interconnect interconnect, int count, Bytes gradient,
                          const SpeedAssumptions& assumptions) {
  if (count <= 1) return 1;
  const ScalingClass& scaling = assumptions.scaling.at(std::string(name_of(interconnect)));
  const double small = at_count(row(scaling, false), count);
  const double large = at_count(row(scaling, true), count);
  if (gradient <= assumptions.small_gradient) {
    // What is lost is spent on the gradient, so it shrinks with it.
    return 1 - (1 - small) * (gradient / assumptions.small_gradient);
  }
  const double t = std::log(gradient / assumptions.small_gradient) /
                   std::log(assumptions.large_gradient / assumptions.small_gradient);
  return small + std::min(t, 1.0) * (large - small);
}

std::optional<StageDuration> estimate_duration(const StageWorkload& stage, const StagePlan& plan,
                                               const GpuGroup& group, const Catalog& catalog) {
  const SpeedAssumptions& assumptions = catalog.assumptions().speed;
  const TrainingSpeed& speed = stage.stage->training.speed;
  Basis best = Basis::analytic;
  for (const SpeedReference& reference : speed.references) best = std::min(best, reference.basis);

  // The geometric mean over the references of the best basis.
  double log_sum = 0;
  int used = 0;
  for (const SpeedReference& reference : speed.references) {
    if (reference.basis != best) continue;
    const std::optional<double> gpu_time = scaled_pass(reference, stage, plan, group, catalog);
    if (!gpu_time) continue;
    log_sum += std::log(*gpu_time);
    ++used;
  }
  if (used == 0) return std::nullopt;
  const double efficiency =
      scaling_efficiency(group.interconnect, plan.gpus,
                         Bytes(gradient_bytes(stage.stage->training, plan)), assumptions);
  const double pass = speed.host_per_step.count() + std::exp(log_sum / used) / efficiency;
  const double passes = passes_of(stage, plan);
  return StageDuration{.stage = stage.stage->id,
                       .time = log_normal_range(Seconds(pass * passes), assumptions.sigma.at(best)),
                       .passes = passes,
                       .basis = best};
}

std::optional<InferenceSpeed> estimate_inference_speed(const InferenceWorkload& workload,
                                                       const GpuGroup& group,
                                                       const Catalog& catalog) {
  const SpeedAssumptions& assumptions = catalog.assumptions().speed;
  const Inference& inference = *workload.inference;
  const auto scaled = [&](const InferenceReference& reference) -> std::optional<double> {
    const GpuGroup from_group{catalog.gpu_with_id(reference.gpu), 1, Interconnect::none};
    const std::optional<double> from = speed_index(from_group, reference.precision, assumptions);
    const std::optional<double> to = speed_index(group, workload.precision.value, assumptions);
    if (!from || !to) return std::nullopt;
    return std::pow(*from / *to, inference.gpu_exponent);
  };
  // One request at a time, unless batches are all that is known.
  const InferenceReference* chosen = nullptr;
  const InferenceReference* first_audio = nullptr;
  const auto better = [](const InferenceReference& a, const InferenceReference* b) {
    if (b == nullptr) return true;
    const bool a_single = a.streams.value_or(1) == 1;
    const bool b_single = b->streams.value_or(1) == 1;
    if (a_single != b_single) return a_single;
    return a.basis < b->basis;
  };
  for (const InferenceReference& reference : inference.references) {
    if (reference.runtime != workload.runtime.value || !scaled(reference)) continue;
    if (reference.rtf && better(reference, chosen)) chosen = &reference;
    if (reference.first_audio_ms && better(reference, first_audio)) first_audio = &reference;
  }
  if (chosen == nullptr) return std::nullopt;
  const double sigma = assumptions.sigma.at(chosen->basis);
  InferenceSpeed speed{.rtf = log_normal_range(*chosen->rtf * *scaled(*chosen), sigma),
                       .first_audio_ms = std::nullopt,
                       .basis = chosen->basis,
                       .source = chosen->source};
  if (first_audio != nullptr)
    speed.first_audio_ms =
        log_normal_range(*first_audio->first_audio_ms * *scaled(*first_audio), sigma);
  return speed;
}

}  // namespace vcgpu
