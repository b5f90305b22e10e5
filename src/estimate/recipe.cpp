#include "estimate/recipe.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "estimate/levers.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/estimate.hpp"

namespace vcgpu {

double recipe_batch(const StageWorkload& stage, const Gpu& gpu, double share, Precision precision) {
  const BatchRule& rule = stage.recipe->batch;
  double batch =
      rule.value.value_or(std::floor(rule.per_memory_gb.value_or(1) * gpu.memory_gb * share));
  if (rule.halve_in_fp32 && !is_half(precision)) batch = std::floor(batch / 2);
  if (rule.max_share_of_clips)
    batch = std::min(batch, std::floor(stage.clips * *rule.max_share_of_clips));
  if (rule.max) batch = std::min(batch, *rule.max);
  batch = std::max({batch, rule.min.value_or(1), smallest_batch(stage)});
  // A batch of clips is never larger than the data set.
  return stage.stage->batch_unit == BatchUnit::clips ? std::min(batch, std::max(stage.clips, 1.0))
                                                     : batch;
}

int recipe_accumulation(const StageWorkload& stage) {
  return stage.stage->training.accumulation_fixed.value_or(stage.recipe->grad_accum);
}

double asked_batch(const StageWorkload& stage, int gpus) {
  const double asked = stage.asked.batch_size->value;
  return stage.stage->training.batch_is_total ? std::max(1.0, std::ceil(asked / gpus)) : asked;
}

StagePlan recipe_plan(const StageWorkload& stage, const GpuGroup& group) {
  StagePlan plan;
  plan.precision = precisions_to_try(stage, *group.gpu, false).front();
  const MethodChoice method = methods_to_try(stage, false).front();
  plan.method = method.method;
  plan.lora_rank = method.rank;
  plan.checkpointing = checkpointing_to_try(stage, false).front();
  plan.optimizer = optimizers_to_try(stage, false).front();
  plan.ema = !stage.asked.ema || stage.asked.ema->value;
  plan.attention =
      stage.asked.attention ? std::optional(stage.asked.attention->value) : stage.recipe->attention;
  plan.gpus = group.gpus();
  if (stage.asked.sharding) plan.sharding = stage.asked.sharding->value;
  plan.grad_accum =
      stage.asked.grad_accum ? stage.asked.grad_accum->value : recipe_accumulation(stage);
  const double recipe = recipe_batch(stage, *group.gpu, group.share(), plan.precision);
  plan.batch = stage.asked.batch_size                 ? asked_batch(stage, plan.gpus)
               : stage.stage->training.batch_is_total ? std::max(1.0, std::ceil(recipe / plan.gpus))
                                                      : recipe;
  plan.wanted_batch = plan.effective_batch();
  const MemoryProfile* profile =
      find_profile(stage.stage->training.profiles, {.precision = plan.precision,
                                                    .attention = plan.attention,
                                                    .checkpointing = plan.checkpointing,
                                                    .method = plan.method});
  if (profile == nullptr)
    throw Error(
        ExitCode::usage, "unknown-memory",
        fmt::format("the memory of stage {} with these settings is not known", stage.stage->id),
        "leave a setting out");
  plan.attention = profile->attention;
  return plan;
}

StageWorkload with_clips_up_to(const StageWorkload& stage, Seconds longest) {
  StageWorkload shorter = stage;
  shorter.max_clip.value = longest;
  shorter.mean_clip.value = std::min(stage.mean_clip.value, longest);
  shorter.lengths = lengths_of(stage.stage->lengths, longest, given_lengths(stage.asked));
  // Cut to shorter pieces, the same audio is more clips.
  shorter.clips = stage.clips * (stage.mean_clip.value / shorter.mean_clip.value);
  return shorter;
}

double smallest_batch(const StageWorkload& stage) {
  return stage.stage->batch_unit == BatchUnit::frames
             ? std::max(stage.lengths[Variable::clip_frames], 1.0)
             : stage.recipe->batch.min.value_or(1);
}

}  // namespace vcgpu
