#include "estimate/levers.hpp"

#include <algorithm>

#include "estimate/workload_levers.hpp"
#include "vcgpu/estimate.hpp"

namespace vcgpu {

std::vector<Precision> precisions_to_try(const StageWorkload& stage, const Gpu& gpu, bool open) {
  if (stage.asked.precision) return {stage.asked.precision->value};
  const Precision recipe = stage.recipe->precision;
  std::vector<Precision> precisions;
  if (supports(gpu, recipe)) precisions.push_back(recipe);
  if (open && !is_half(recipe) && supports(gpu, Precision::bf16))
    precisions.push_back(Precision::bf16);
  else if (open && !is_half(recipe) && supports(gpu, Precision::fp16))
    precisions.push_back(Precision::fp16);
  // What the training code falls back to where the card lacks the recipe's.
  if (precisions.empty()) {
    const auto known = [&](Precision precision) {
      const std::vector<MemoryProfile>& profiles = stage.stage->training.profiles;
      return std::any_of(profiles.begin(), profiles.end(),
                         [&](const MemoryProfile& profile) { return is_of(profile, precision); });
    };
    if (supports(gpu, Precision::fp16) && known(Precision::fp16) && !known(Precision::fp32))
      precisions.push_back(Precision::fp16);
    else
      precisions.push_back(Precision::fp32);
  }
  return precisions;
}

std::vector<MethodChoice> methods_to_try(const StageWorkload& stage, bool open) {
  const std::optional<Lora>& lora = stage.stage->training.lora;
  if (stage.asked.lora_rank) {
    const int rank = stage.asked.lora_rank->value;
    return {{rank > 0 ? Method::lora : Method::full, rank}};
  }
  std::vector<MethodChoice> methods{
      {stage.recipe->method, stage.recipe->method == Method::lora ? lora->default_rank : 0}};
  if (open && stage.recipe->method == Method::full && lora)
    methods.push_back({Method::lora, lora->default_rank});
  return methods;
}

std::vector<bool> checkpointing_to_try(const StageWorkload& stage, bool open) {
  if (stage.asked.checkpointing) return {stage.asked.checkpointing->value};
  if (stage.recipe->checkpointing) return {true};
  return open ? std::vector{false, true} : std::vector{false};
}

std::vector<std::optional<Attention>> attentions_to_try(const StageWorkload& stage, bool open) {
  if (stage.asked.attention) return {stage.asked.attention->value};
  std::vector<std::optional<Attention>> attentions{stage.recipe->attention};
  if (open && stage.recipe->attention == Attention::eager) attentions.emplace_back(Attention::sdpa);
  return attentions;
}

std::vector<bool> averaged_copies_to_try(const StageWorkload& stage, bool open) {
  if (stage.asked.ema) return {stage.asked.ema->value};
  const Training& training = stage.stage->training;
  return open && training.ema_switch && training.ema_bytes ? std::vector{true, false}
                                                           : std::vector{true};
}

std::vector<const Optimizer*> optimizers_to_try(const StageWorkload& stage, bool open) {
  std::vector<const Optimizer*> optimizers;
  for (const Optimizer& optimizer : stage.stage->training.optimizers) {
    if (stage.asked.optimizer ? optimizer.id == stage.asked.optimizer->value
                              : &optimizer == &stage.stage->training.optimizers.front() ||
                                    (open && optimizer.id == "adamw-8bit"))
      optimizers.push_back(&optimizer);
  }
  return optimizers;
}

std::vector<Sharding> shardings_to_try(const StageWorkload& stage, int gpus, bool open) {
  if (stage.asked.sharding) return {stage.asked.sharding->value};
  std::vector<Sharding> shardings{Sharding::none};
  const std::vector<Sharding>& known = stage.stage->training.shardings;
  if (open && gpus > 1) shardings.insert(shardings.end(), known.begin(), known.end());
  return shardings;
}

std::optional<Precision> inference_precision(const InferenceWorkload& workload, const Gpu& gpu) {
  const Precision own = workload.precision.value;
  const bool asked = workload.precision.origin != Origin::model_default;
  if (asked || supports(gpu, own)) return own;
  for (const Precision other : {Precision::fp16, Precision::fp32}) {
    if (!supports(gpu, other)) continue;
    const bool known =
        find_profile(workload.inference->profiles, {.precision = other,
                                                    .attention = std::nullopt,
                                                    .offload = workload.offload.value,
                                                    .runtime = workload.runtime.value}) != nullptr;
    if (known) return other;
  }
  return std::nullopt;
}

}  // namespace vcgpu
