#include "estimate/workload_levers.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

// Levers that a stage does not have are refused, not ignored.
void check_levers(const WorkloadRequest& asked, const Stage& stage, const std::string& model) {
  const Training& training = stage.training;
  const auto has_profile = [&](auto matches) {
    return std::any_of(training.profiles.begin(), training.profiles.end(), matches);
  };
  if (asked.lora_rank && asked.lora_rank->value > 0) {
    if (!training.lora)
      refuse("no-lora", fmt::format("{} has no LoRA for stage {}", model, stage.id),
             "leave --lora out");
    const std::vector<int>& ranks = training.lora->ranks;
    if (std::find(ranks.begin(), ranks.end(), asked.lora_rank->value) == ranks.end()) {
      std::vector<std::string> known;
      for (const int rank : ranks) known.push_back(std::to_string(rank));
      refuse("bad-value",
             fmt::format("--lora: {} offers no rank {}", model, asked.lora_rank->value),
             "one of " + joined(known));
    }
  }
  if (asked.lora_rank && asked.lora_rank->value == 0 &&
      !has_profile([](const MemoryProfile& p) { return p.method == Method::full; }))
    refuse("no-full", fmt::format("{} is only known with LoRA for stage {}", model, stage.id),
           "leave --lora out");
  if (asked.checkpointing && asked.checkpointing->value &&
      !has_profile([](const MemoryProfile& p) { return p.checkpointing; }))
    refuse("no-checkpointing",
           fmt::format("the trainer of {} has no gradient checkpointing for stage {}", model,
                       stage.id),
           "leave --grad-checkpoint out");
  if (asked.optimizer) {
    std::vector<std::string> known;
    for (const Optimizer& optimizer : training.optimizers) known.push_back(optimizer.id);
    if (std::find(known.begin(), known.end(), asked.optimizer->value) == known.end())
      refuse("no-optimizer",
             fmt::format("stage {} of {} does not train with {}", stage.id, model,
                         printable(asked.optimizer->value, 40)),
             "one of " + joined(known));
  }
  if (asked.precision) {
    const Precision wanted = asked.precision->value;
    if (!has_profile([&](const MemoryProfile& p) { return is_of(p, wanted); }))
      refuse("no-precision",
             fmt::format("training stage {} of {} in {} is not known", stage.id, model,
                         name_of(wanted)),
             "leave --precision out");
  }
  if (asked.segment_samples && !crops_clips(stage))
    refuse("no-segment",
           fmt::format("stage {} of {} does not train on crops of a set length", stage.id, model),
           "leave --segment-samples out");
  if (asked.ema && !asked.ema->value && training.ema_bytes && !training.ema_switch)
    refuse("no-ema-switch",
           fmt::format("the trainer of {} always keeps an averaged copy (EMA) in stage {}", model,
                       stage.id),
           "leave --ema out");
  if (asked.ema && asked.ema->value && !training.ema_bytes)
    refuse(
        "no-ema",
        fmt::format("the trainer of {} keeps no averaged copy (EMA) in stage {}", model, stage.id),
        "leave --ema out");
  if (asked.sharding && asked.sharding->value != Sharding::none &&
      std::find(training.shardings.begin(), training.shardings.end(), asked.sharding->value) ==
          training.shardings.end()) {
    std::vector<std::string> known{"none"};
    for (const Sharding sharding : training.shardings) known.emplace_back(name_of(sharding));
    refuse("no-sharding",
           fmt::format("the trainer of {} has no {} for stage {}: every GPU holds everything",
                       model, name_of(asked.sharding->value), stage.id),
           "one of " + joined(known));
  }
  if (asked.attention && !has_profile([&](const MemoryProfile& p) {
        return !p.attention || *p.attention == asked.attention->value;
      }))
    refuse("no-attention",
           fmt::format("stage {} of {} is not known with {} attention", stage.id, model,
                       name_of(asked.attention->value)),
           "leave --attention out");
  if (asked.grad_accum && asked.grad_accum->value > 1) {
    if (training.accumulation_fixed && *training.accumulation_fixed != asked.grad_accum->value)
      refuse("fixed-accumulation",
             fmt::format("the trainer of {} always accumulates {} batches in stage {}", model,
                         *training.accumulation_fixed, stage.id),
             "leave --grad-accum out");
    if (!training.accumulation_supported && !training.accumulation_fixed)
      refuse("no-accumulation",
             fmt::format("the trainer of {} has no gradient accumulation for stage {}", model,
                         stage.id),
             "leave --grad-accum out");
  }
}

template <class T>
void settle_lever(Asked<T> WorkloadRequest::*lever, Workload& workload) {
  if (!(workload.asked.*lever)) return;
  WorkloadRequest alone;
  alone.*lever = workload.asked.*lever;
  std::optional<Error> refusal;
  std::size_t takers = 0;
  for (StageWorkload& stage : workload.stages) {
    try {
      check_levers(alone, *stage.stage, model_label(workload.choice));
      ++takers;
    } catch (const Error& error) {
      if (!refusal) refusal = error;
      stage.asked.*lever = std::nullopt;
    }
  }
  if (takers == 0 && refusal) throw Error(*refusal);
}

}  // namespace

void refuse(std::string code, const std::string& message, const std::string& hint) {
  throw Error(ExitCode::usage, std::move(code), message, hint);
}

std::string model_label(const ModelChoice& choice) {
  return choice.model->id + "@" + choice.variant->id;
}

bool is_of(const MemoryProfile& profile, Precision precision) {
  return std::find(profile.precisions.begin(), profile.precisions.end(), precision) !=
         profile.precisions.end();
}

bool has_rule(const std::vector<LengthRule>& rules, Variable variable) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const LengthRule& rule) { return rule.variable == variable; });
}

bool crops_clips(const Stage& stage) {
  return std::any_of(stage.lengths.begin(), stage.lengths.end(), [](const LengthRule& rule) {
    return rule.variable == Variable::segment_frames && rule.samples;
  });
}

void settle_levers(Workload& workload) {
  settle_lever(&WorkloadRequest::lora_rank, workload);
  settle_lever(&WorkloadRequest::checkpointing, workload);
  settle_lever(&WorkloadRequest::optimizer, workload);
  settle_lever(&WorkloadRequest::precision, workload);
  settle_lever(&WorkloadRequest::attention, workload);
  settle_lever(&WorkloadRequest::grad_accum, workload);
  settle_lever(&WorkloadRequest::segment_samples, workload);
  settle_lever(&WorkloadRequest::ema, workload);
  settle_lever(&WorkloadRequest::sharding, workload);
}

}  // namespace vcgpu
