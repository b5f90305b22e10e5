// Memory of a training pass and of inference.
//
// allocated = weights + buffers + frozen + optimizer + averaged copy
//           + gradients (forward: where the trainer keeps them; else always)
//           + half-precision copies (autocast, forward)
//           + optimizer temporaries (step)
//           + the profile's terms for the phase
// device    = allocated x (1 + slack) + DDP bucket + CUDA context + communication
//
// With sharding, optimizer state and gradients (zero2) and weights (zero3) are
// divided by the number of GPUs.
//
// The bucket stands outside `allocated` because the measured graphs that the
// terms are fitted to were run without a DDP wrapper.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "estimate/fixed_parts.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/estimate.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

double term_bytes(const Term& term, const Lengths& lengths) {
  double bytes = term.bytes;
  for (const Variable variable : term.per) bytes *= lengths[variable];
  return bytes;
}

TermsBytes terms_bytes(const Phase& phase, const Lengths& lengths) {
  TermsBytes bytes;
  for (const Term& term : phase.terms)
    (term.workspace ? bytes.workspace : bytes.live) += term_bytes(term, lengths);
  return bytes;
}

FixedParts fixed_parts(const Training& training, const StagePlan& plan,
                       const MemoryProfile& profile) {
  const bool lora = plan.method == Method::lora;
  const double trained =
      lora ? training.lora->also_trainable + plan.lora_rank * training.lora->parameters_per_rank
           : training.trainable;
  const double with_gradient = lora ? trained : trained - training.without_gradient;
  // What every GPU holds of a thing that is shared out.
  const double part = 1.0 / plan.gpus;
  const double state_part = plan.sharding == Sharding::none ? 1 : part;
  const double weight_part = plan.sharding == Sharding::zero3 ? part : 1;
  FixedParts parts;
  parts.weights = trained * profile.weight_bytes.value_or(training.weight_bytes) * weight_part +
                  training.buffers_bytes;
  parts.frozen = (lora ? training.lora->frozen : training.frozen) * training.frozen_bytes;
  const double gradient_bytes = with_gradient * training.gradient_bytes;
  parts.gradients = gradient_bytes * state_part;
  parts.optimizer = with_gradient * plan.optimizer->state_bytes * state_part;
  parts.ema = lora || !plan.ema ? 0 : trained * training.ema_bytes.value_or(0);
  parts.copies = profile.autocast_copies ? 2 * training.matmul.value_or(0) : 0;
  parts.step_temporary = with_gradient * plan.optimizer->step_temporary_bytes * state_part;
  parts.gradients_in_forward = training.gradients_always_resident || plan.grad_accum > 1;
  const bool wrapped =
      plan.gpus > 1 || (lora ? training.lora->ddp_on_one_gpu : training.ddp_on_one_gpu);
  parts.bucket = wrapped ? gradient_bytes : 0;
  return parts;
}

Lengths lengths_in_plan(const StageWorkload& stage, const StagePlan& plan) {
  Lengths lengths = stage.lengths;
  lengths[Variable::batch] = plan.batch;
  if (stage.stage->batch_unit == BatchUnit::frames) {
    // Some samplers drop a clip longer than the budget, others make a batch of
    // it alone: sized for the second, the larger.
    lengths[Variable::frames] = std::max(plan.batch, stage.lengths[Variable::clip_frames]);
  }
  return lengths;
}

Bytes communication_buffers(int gpus, const MemoryAssumptions& memory) {
  if (gpus < 2) return {};
  const auto found = memory.communication.lower_bound(std::min(gpus, 8));
  return found->second;
}

namespace {

const MemoryProfile& profile_for(const StageWorkload& stage, const StagePlan& plan) {
  const MemoryProfile* profile =
      find_profile(stage.stage->training.profiles, {.precision = plan.precision,
                                                    .attention = plan.attention,
                                                    .checkpointing = plan.checkpointing,
                                                    .method = plan.method});
  if (profile != nullptr) return *profile;
  throw Error(ExitCode::usage, "unknown-memory",
              fmt::format("the memory of stage {} in {}{} is not known", stage.stage->id,
                          name_of(plan.precision), plan.checkpointing ? " with checkpointing" : ""),
              "leave the setting out");
}

struct Peak {
  PhaseKind kind = PhaseKind::step;
  const Phase* phase = nullptr;  // null: the optimizer step, which has no terms
  double bytes = 0;              // of live tensors
  double workspace = 0;
};

Peak training_peak(const MemoryProfile& profile, const FixedParts& parts, const Lengths& lengths) {
  Peak peak{PhaseKind::step, nullptr, parts.in_phase(PhaseKind::step), 0};
  for (const Phase& phase : profile.phases) {
    const TermsBytes terms = terms_bytes(phase, lengths);
    const double bytes = parts.in_phase(phase.kind) + terms.live;
    if (bytes + terms.workspace > peak.bytes + peak.workspace)
      peak = {phase.kind, &phase, bytes, terms.workspace};
  }
  return peak;
}

double combined(double a, double b) { return std::sqrt(a * a + b * b); }

double sigma_of(const MemoryProfile& profile, const MemoryAssumptions& memory) {
  return profile.spread.value_or(memory.basis_sigma.at(profile.basis));
}

// What is on a card besides live tensors.
struct Surroundings {
  Overhead overhead;
  Bytes bucket, communication;
  Bytes workspace;
  double contexts = 1;
};

// From live tensors to the card, with `slack` of them on top.
Range<Bytes> on_card(Bytes allocated, double slack, double slack_sigma, double basis_sigma,
                     const Surroundings& around, const MemoryAssumptions& memory) {
  const double sigma = combined(slack_sigma, basis_sigma);
  const Bytes added = around.bucket + around.workspace;
  Range<Bytes> tensors = log_normal_range(allocated * (1 + slack) + added, sigma);
  // However little is lost, the tensors themselves are there.
  tensors.low = std::max(tensors.low, log_normal_range(allocated, basis_sigma).low + added);
  const Range<Bytes> context =
      memory.cuda_context.map([&](Bytes b) { return b * around.contexts + around.communication; });
  return tensors + context;
}

Range<Bytes> reading(Bytes allocated, double basis_sigma, const Surroundings& around,
                     const MemoryAssumptions& memory) {
  const Overhead& o = around.overhead;
  return on_card(allocated, o.slack + o.cache, combined(o.sigma, o.cache_sigma), basis_sigma,
                 around, memory);
}

// Where a full card fails, the allocator first gives its cache up; where the
// driver spills, it never learns that the card is full.
Range<Bytes> needed(Bytes allocated, double basis_sigma, const Surroundings& around, HostOs os,
                    const MemoryAssumptions& memory) {
  if (os == HostOs::windows) return reading(allocated, basis_sigma, around, memory);
  return on_card(allocated, around.overhead.slack, around.overhead.sigma, basis_sigma, around,
                 memory);
}

double needed_slack(const Overhead& overhead, HostOs os) {
  return overhead.slack + (os == HostOs::windows ? overhead.cache : 0);
}

void add(std::vector<MemoryComponent>& components, std::string name, double bytes, Basis basis) {
  if (bytes > 0) components.push_back({std::move(name), Bytes(bytes), basis});
}

}  // namespace

const MemoryProfile* find_profile(const std::vector<MemoryProfile>& profiles,
                                  const ProfileKey& key) {
  const auto holds = [](const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const MemoryProfile* general = nullptr;
  for (const MemoryProfile& profile : profiles) {
    if (profile.checkpointing != key.checkpointing || profile.method != key.method) continue;
    if (profile.offload != key.offload) continue;
    if (profile.attention && key.attention && profile.attention != key.attention) continue;
    if (!holds(profile.precisions, key.precision)) continue;
    if (holds(profile.runtimes, key.runtime)) return &profile;
    if (profile.runtimes.empty() && general == nullptr) general = &profile;
  }
  return general;
}

Range<Bytes> device_peak(const StageWorkload& stage, const StagePlan& plan,
                         const Assumptions& assumptions) {
  const MemoryProfile& profile = profile_for(stage, plan);
  const FixedParts parts = fixed_parts(stage.stage->training, plan, profile);
  const Peak peak = training_peak(profile, parts, lengths_in_plan(stage, plan));
  const MemoryAssumptions& memory = assumptions.memory;
  return needed(Bytes(peak.bytes), sigma_of(profile, memory),
                {.overhead = memory.training.at(stage.stage->family),
                 .bucket = Bytes(parts.bucket),
                 .communication = communication_buffers(plan.gpus, memory),
                 .workspace = Bytes(peak.workspace)},
                stage.asked.os.value, memory);
}

MemoryEstimate estimate_memory(const StageWorkload& stage, const StagePlan& plan,
                               const Assumptions& assumptions) {
  const MemoryProfile& profile = profile_for(stage, plan);
  const FixedParts parts = fixed_parts(stage.stage->training, plan, profile);
  const Lengths lengths = lengths_in_plan(stage, plan);
  const Peak peak = training_peak(profile, parts, lengths);
  const MemoryAssumptions& memory = assumptions.memory;
  const Overhead& overhead = memory.training.at(stage.stage->family);
  const double basis_sigma = sigma_of(profile, memory);
  const Bytes communication = communication_buffers(plan.gpus, memory);

  MemoryEstimate estimate;
  estimate.basis = profile.basis;
  estimate.peak_phase = peak.phase != nullptr ? peak.phase->name : "optimizer step";
  // torch allocates the workspaces of libraries as well.
  estimate.allocated = log_normal_range(Bytes(peak.bytes + peak.workspace), basis_sigma);
  const Surroundings around{.overhead = overhead,
                            .bucket = Bytes(parts.bucket),
                            .communication = communication,
                            .workspace = Bytes(peak.workspace)};
  const HostOs os = stage.asked.os.value;
  estimate.device = needed(Bytes(peak.bytes), basis_sigma, around, os, memory);
  estimate.reading = reading(Bytes(peak.bytes), basis_sigma, around, memory);

  std::vector<MemoryComponent>& components = estimate.components;
  add(components, "weights", parts.weights, Basis::measured);
  add(components, "frozen weights", parts.frozen, Basis::measured);
  add(components, "optimizer state", parts.optimizer, Basis::measured);
  add(components, "averaged weights (EMA)", parts.ema, Basis::measured);
  if (peak.kind != PhaseKind::forward || parts.gradients_in_forward)
    add(components, "gradients", parts.gradients, Basis::measured);
  if (peak.kind == PhaseKind::forward)
    add(components, "half-precision weight copies", parts.copies, profile.basis);
  if (peak.kind == PhaseKind::step)
    add(components, "optimizer temporaries", parts.step_temporary, profile.basis);
  if (peak.phase != nullptr) {
    for (const Term& term : peak.phase->terms)
      add(components, term.name, term_bytes(term, lengths), profile.basis);
  }
  add(components, "allocator slack and workspaces", peak.bytes * needed_slack(overhead, os),
      Basis::reported);
  add(components, "DDP gradient bucket", parts.bucket, Basis::measured);
  add(components, "CUDA context", memory.cuda_context.expected.count(), Basis::reported);
  add(components, "communication buffers", communication.count(), Basis::reported);
  return estimate;
}

MemoryEstimate estimate_memory(const InferenceWorkload& workload, const InferencePlan& plan,
                               const Assumptions& assumptions) {
  const Inference& inference = *workload.inference;
  const MemoryProfile* profile =
      find_profile(inference.profiles, {.precision = plan.precision,
                                        .attention = std::nullopt,
                                        .offload = plan.offload,
                                        .runtime = workload.runtime.value});
  if (profile == nullptr)
    throw Error(ExitCode::usage, "unknown-memory",
                fmt::format("inference memory in {} is not known", name_of(plan.precision)),
                "leave --precision out");
  // Streams that cannot share one process pay for everything again.
  const bool share = profile->streams_share_weights.value_or(inference.streams_share_weights);
  const double processes = share ? 1 : plan.streams_per_gpu;
  Lengths lengths = workload.lengths;
  lengths[Variable::streams] = lengths[Variable::batch] = share ? plan.streams_per_gpu : 1;

  const auto usual_bytes = [&](Precision precision) {
    switch (precision) {
      case Precision::int4:
        return 0.5;
      case Precision::int8:
        return 1.0;
      default:
        return is_half(precision) ? 2.0 : 4.0;
    }
  };
  const auto weights_of = [&](const ModelComponent& component) {
    const auto found = component.bytes_per_parameter.find(plan.precision);
    return component.parameters * (found != component.bytes_per_parameter.end()
                                       ? found->second
                                       : usual_bytes(plan.precision));
  };
  const auto resident = [&](const ModelComponent& component, const Phase& phase) {
    return phase.components.empty() || std::find(phase.components.begin(), phase.components.end(),
                                                 component.id) != phase.components.end();
  };

  const Phase* peak = nullptr;
  double peak_bytes = -1;
  double workspace = 0;
  for (const Phase& phase : profile->phases) {
    const TermsBytes terms = terms_bytes(phase, lengths);
    double bytes = terms.live;
    for (const ModelComponent& component : inference.components) {
      if (resident(component, phase)) bytes += weights_of(component);
    }
    if (bytes + terms.workspace > peak_bytes + workspace) {
      peak = &phase;
      peak_bytes = bytes;
      workspace = terms.workspace;
    }
  }
  const MemoryAssumptions& memory = assumptions.memory;
  const double basis_sigma = sigma_of(*profile, memory);
  MemoryEstimate estimate;
  estimate.basis = profile->basis;
  estimate.peak_phase = peak->name;
  estimate.reservation_share = profile->reservation_share;
  estimate.allocated = log_normal_range(Bytes((peak_bytes + workspace) * processes), basis_sigma);
  const Surroundings around{.overhead = memory.inference,
                            .bucket = Bytes(0),
                            .communication = Bytes(0),
                            .workspace = Bytes(workspace * processes),
                            .contexts = processes};
  estimate.device = needed(Bytes(peak_bytes * processes), basis_sigma, around, workload.os, memory);
  estimate.reading = reading(Bytes(peak_bytes * processes), basis_sigma, around, memory);
  std::vector<MemoryComponent>& components = estimate.components;
  for (const ModelComponent& component : inference.components) {
    if (resident(component, *peak))
      add(components, component.name + " weights", weights_of(component) * processes,
          Basis::measured);
  }
  for (const Term& term : peak->terms)
    add(components, term.name, term_bytes(term, lengths) * processes, profile->basis);
  add(components, "allocator slack and workspaces",
      peak_bytes * processes * needed_slack(memory.inference, workload.os), Basis::reported);
  add(components, processes > 1 ? "CUDA contexts" : "CUDA context",
      memory.cuda_context.expected.count() * processes, Basis::reported);
  return estimate;
}

Range<Bytes> on_its_card(const Range<Bytes>& reading, const Range<Bytes>& needed, Bytes usable) {
  const auto capped = [&](Bytes shows, Bytes needs) {
    return std::max(needs, std::min(shows, usable));
  };
  return {capped(reading.low, needed.low), capped(reading.expected, needed.expected),
          capped(reading.high, needed.high)};
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits:
      return "fits";
    case Verdict::tight:
      return "tight";
    case Verdict::does_not_fit:
      return "does-not-fit";
  }
  return "?";
}

Fit judge_fit(const Range<Bytes>& device, Bytes usable, double headroom,
              const Assumptions& assumptions) {
  if (usable.count() <= 0) return {Verdict::does_not_fit, 1};
  const double sigma = std::max(std::log(device.high / device.expected) / percentile_95_z, 1e-6);
  const double z = std::log(usable / device.expected) / sigma;
  const double oom_probability = 0.5 * std::erfc(z / std::sqrt(2.0));
  if (device.high <= usable && device.expected <= usable * (1 - headroom))
    return {Verdict::fits, oom_probability};
  if (oom_probability <= assumptions.memory.tight_up_to_probability)
    return {Verdict::tight, oom_probability};
  return {Verdict::does_not_fit, oom_probability};
}

}  // namespace vcgpu
