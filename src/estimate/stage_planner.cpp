// The search over a stage's settings.
//
// Candidates are all combinations of the levers that the trainer has and the
// user leaves open (at most some dozens); for each, the largest micro-batch
// that fits is found by bisection, since memory grows with it. Of those, the
// least sacrifice wins, then the shortest time. Time and checkpointing are no
// sacrifice: they change nothing in the result. A smaller effective batch,
// another precision, an 8-bit optimizer and LoRA do, in rising order.
#include "estimate/stage_planner.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

enum Sacrifice : int {
  none = 0,
  other_precision = 1,
  smaller_batch = 2,
  eight_bit_optimizer = 4,
  adapters = 8
};

std::vector<Precision> precisions_to_try(const StageWorkload& stage, const Gpu& gpu) {
  if (stage.asked.precision) return {stage.asked.precision->value};
  const Precision recipe = stage.recipe->precision;
  std::vector<Precision> precisions;
  if (supports(gpu, recipe)) precisions.push_back(recipe);
  if (!is_half(recipe) && supports(gpu, Precision::bf16))
    precisions.push_back(Precision::bf16);
  else if (!is_half(recipe) && supports(gpu, Precision::fp16))
    precisions.push_back(Precision::fp16);
  // What the training code falls back to where the card lacks the recipe's.
  if (precisions.empty()) precisions.push_back(Precision::fp32);
  return precisions;
}

struct MethodChoice {
  Method method{};
  int rank = 0;
};

std::vector<MethodChoice> methods_to_try(const StageWorkload& stage) {
  const std::optional<Lora>& lora = stage.stage->training.lora;
  if (stage.asked.lora_rank) {
    const int rank = stage.asked.lora_rank->value;
    return {{rank > 0 ? Method::lora : Method::full, rank}};
  }
  std::vector<MethodChoice> methods{
      {stage.recipe->method, stage.recipe->method == Method::lora ? lora->default_rank : 0}};
  if (stage.recipe->method == Method::full && lora)
    methods.push_back({Method::lora, lora->default_rank});
  return methods;
}

std::vector<bool> checkpointing_to_try(const StageWorkload& stage) {
  if (stage.asked.checkpointing) return {stage.asked.checkpointing->value};
  return stage.recipe->checkpointing ? std::vector{true} : std::vector{false, true};
}

std::vector<const Optimizer*> optimizers_to_try(const StageWorkload& stage) {
  std::vector<const Optimizer*> optimizers;
  for (const Optimizer& optimizer : stage.stage->training.optimizers) {
    if (stage.asked.optimizer ? optimizer.id == stage.asked.optimizer->value
                              : &optimizer == &stage.stage->training.optimizers.front() ||
                                    optimizer.id == "adamw-8bit")
      optimizers.push_back(&optimizer);
  }
  return optimizers;
}

// Sharding changes nothing in the result, but every pass waits for more
// traffic: after plain data parallelism.
std::vector<Sharding> shardings_to_try(const StageWorkload& stage, int gpus) {
  if (stage.asked.sharding) return {stage.asked.sharding->value};
  std::vector<Sharding> shardings{Sharding::none};
  const std::vector<Sharding>& known = stage.stage->training.shardings;
  if (gpus > 1) shardings.insert(shardings.end(), known.begin(), known.end());
  return shardings;
}

// The smallest batch that makes sense: one clip, or the longest clip's frames.
double smallest_batch(const StageWorkload& stage) {
  return stage.stage->batch_unit == BatchUnit::frames
             ? std::max(stage.lengths[Variable::clip_frames], 1.0)
             : 1.0;
}

// The batch that the training code would take on this card.
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

// The batch of one GPU that the user asked for.
double asked_batch(const StageWorkload& stage, int gpus) {
  const double asked = stage.asked.batch_size->value;
  return stage.stage->training.batch_is_total ? std::max(1.0, std::ceil(asked / gpus)) : asked;
}

struct Attempt {
  StagePlan plan;
  Range<Bytes> device;
  Fit fit;
  int sacrifice = none;
  double pass_cost = 0;  // seconds where the speed is known, else passes
  std::optional<StageDuration> duration;
};

class StageSearch {
 public:
  StageSearch(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
              const Catalog& catalog)
      : m_workload(workload),
        m_stage(stage),
        m_group(group),
        m_catalog(catalog),
        m_reserve(reserve_on(*group.gpu, workload.asked, catalog.assumptions())),
        m_usable(usable_vram(group, m_reserve)) {}

  StageOutcome run() {
    if (std::optional<Obstacle> obstacle = refusal()) return {std::nullopt, obstacle, std::nullopt};
    std::optional<Attempt> best;
    std::optional<Attempt> smallest;
    for_each_combination([&](const StagePlan& settings, int sacrifice) {
      if (const std::optional<Attempt> attempt = largest_that_fits(settings, sacrifice)) {
        if (!best || order(*attempt) < order(*best)) best = attempt;
      }
      const Attempt least = least_memory(settings, sacrifice);
      if (!smallest || least.device.expected < smallest->device.expected) smallest = least;
    });
    if (best) return {planned(*best), std::nullopt, std::nullopt};
    if (!smallest)
      return {std::nullopt,
              Obstacle{"unknown-memory",
                       fmt::format("the memory of stage {} with these settings is not known",
                                   m_stage.stage->id),
                       "leave a setting out"},
              std::nullopt};
    PlannedStage stage = planned(*smallest);
    if (smallest->fit.verdict != Verdict::does_not_fit) return {stage, std::nullopt, std::nullopt};
    return {stage, std::nullopt, misfit(*smallest)};
  }

 private:
  [[nodiscard]] std::optional<Obstacle> refusal() const {
    if (m_group.gpus() > 1 && !m_stage.stage->training.multi_gpu)
      return Obstacle{"single-gpu-trainer",
                      fmt::format("the trainer of stage {} uses one GPU", m_stage.stage->id),
                      "--gpu-count 1"};
    if (m_group.gpus() > 8)
      return Obstacle{"too-many-gpus",
                      "more than 8 GPUs are several machines, which are not planned",
                      "--gpu-count 1..8"};
    return std::nullopt;
  }

  template <class Visit>
  void for_each_combination(Visit visit) const {
    const std::vector<Precision> precisions = precisions_to_try(m_stage, *m_group.gpu);
    const Optimizer* usual = &m_stage.stage->training.optimizers.front();
    for (const Precision precision : precisions) {
      for (const MethodChoice& method : methods_to_try(m_stage)) {
        for (const bool checkpointing : checkpointing_to_try(m_stage)) {
          for (const Optimizer* optimizer : optimizers_to_try(m_stage)) {
            StagePlan plan;
            plan.precision = precision;
            plan.method = method.method;
            plan.lora_rank = method.rank;
            plan.attention = m_stage.asked.attention ? std::optional(m_stage.asked.attention->value)
                                                     : m_stage.recipe->attention;
            plan.checkpointing = checkpointing;
            plan.optimizer = optimizer;
            plan.gpus = m_group.gpus();
            plan.ema = !m_stage.asked.ema || m_stage.asked.ema->value;
            const MemoryProfile* profile =
                find_profile(m_stage.stage->training.profiles, {.precision = precision,
                                                                .attention = plan.attention,
                                                                .checkpointing = checkpointing,
                                                                .method = method.method});
            if (profile == nullptr) continue;
            plan.attention = profile->attention;
            int sacrifice = precision == precisions.front() ? none : other_precision;
            if (!m_stage.asked.optimizer && optimizer != usual) sacrifice += eight_bit_optimizer;
            if (!m_stage.asked.lora_rank && method.method != m_stage.recipe->method)
              sacrifice += adapters;
            for (const Sharding sharding : shardings_to_try(m_stage, plan.gpus)) {
              plan.sharding = sharding;
              visit(plan, sacrifice);
            }
          }
        }
      }
    }
  }

  // Sets batch and accumulation for a micro-batch of at most `micro`, keeping
  // the wanted effective batch where the trainer can accumulate.
  [[nodiscard]] StagePlan with_batch(StagePlan plan, double micro) const {
    const Training& training = m_stage.stage->training;
    const double per_gpu = plan.wanted_batch / plan.gpus;
    if (m_stage.asked.grad_accum) {
      plan.grad_accum = m_stage.asked.grad_accum->value;
      plan.batch = micro;
    } else if (training.accumulation_fixed) {
      plan.grad_accum = *training.accumulation_fixed;
      plan.batch = micro;
    } else if (training.accumulation_supported && !m_stage.asked.batch_size) {
      plan.grad_accum = std::max(1, static_cast<int>(std::ceil(per_gpu / micro - 1e-9)));
      plan.batch = std::max(std::min(micro, std::ceil(per_gpu / plan.grad_accum - 1e-9)),
                            std::min(micro, smallest_batch(m_stage)));
    } else {
      plan.grad_accum = m_stage.asked.batch_size ? recipe_accumulation(m_stage) : 1;
      plan.batch = micro;
    }
    return plan;
  }

  // The wanted effective batch and the largest micro-batch it allows.
  [[nodiscard]] std::pair<StagePlan, double> wanted(StagePlan plan) const {
    if (m_stage.asked.batch_size) {
      const double micro = asked_batch(m_stage, plan.gpus);
      const int accumulation =
          m_stage.asked.grad_accum ? m_stage.asked.grad_accum->value : recipe_accumulation(m_stage);
      plan.wanted_batch = micro * accumulation * plan.gpus;
      return {plan, micro};
    }
    const double recipe = recipe_batch(m_stage, *m_group.gpu, m_group.share(), plan.precision);
    if (m_stage.asked.grad_accum) {
      plan.wanted_batch = recipe * m_stage.asked.grad_accum->value;
      return {plan, std::max(smallest_batch(m_stage), std::ceil(recipe / plan.gpus))};
    }
    const Training& training = m_stage.stage->training;
    // A fixed accumulation belongs to the trainer, not to the batch one sets.
    const int accumulation = training.accumulation_fixed ? 1 : recipe_accumulation(m_stage);
    plan.wanted_batch = recipe * accumulation * training.accumulation_fixed.value_or(1);
    // Without a card to fill, the recipe's own micro-batch.
    const double most = m_group.gpu->id == no_gpu_id ? recipe : recipe * accumulation;
    return {plan, std::max(smallest_batch(m_stage), std::ceil(most / plan.gpus))};
  }

  [[nodiscard]] Range<Bytes> peak(const StagePlan& plan) const {
    return device_peak(m_stage, plan, m_catalog.assumptions());
  }
  [[nodiscard]] Fit judge(const Range<Bytes>& device) const {
    return judge_fit(device, m_usable, m_workload.asked.headroom.value, m_catalog.assumptions());
  }
  [[nodiscard]] bool fits(const StagePlan& plan) const {
    return judge(peak(plan)).verdict == Verdict::fits;
  }

  [[nodiscard]] std::optional<Attempt> largest_that_fits(const StagePlan& settings,
                                                         int sacrifice) const {
    const auto [plan, most] = wanted(settings);
    const double least = m_stage.asked.batch_size ? most : smallest_batch(m_stage);
    if (fits(with_batch(plan, most))) return attempt(with_batch(plan, most), sacrifice);
    if (most <= least || !fits(with_batch(plan, least))) return std::nullopt;
    double low = least;
    double high = most;
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      if (fits(with_batch(plan, middle)))
        low = middle;
      else
        high = middle;
    }
    const StagePlan chosen = with_batch(plan, low);
    // Below half of what the recipe wants, training itself changes.
    if (chosen.effective_batch() < 0.5 * chosen.wanted_batch) sacrifice += smaller_batch;
    return attempt(chosen, sacrifice);
  }

  [[nodiscard]] Attempt least_memory(const StagePlan& settings, int sacrifice) const {
    const auto [plan, most] = wanted(settings);
    const double least = m_stage.asked.batch_size ? most : std::min(most, smallest_batch(m_stage));
    return attempt(with_batch(plan, least), sacrifice);
  }

  [[nodiscard]] Attempt attempt(const StagePlan& plan, int sacrifice) const {
    Attempt result;
    result.plan = plan;
    result.sacrifice = sacrifice;
    result.device = peak(plan);
    result.fit = judge(result.device);
    result.duration = estimate_duration(m_stage, plan, m_group, m_catalog);
    result.pass_cost =
        result.duration
            ? result.duration->time.expected.count()
            : m_stage.clips / (plan.batch * plan.gpus) *
                  (plan.checkpointing ? m_catalog.assumptions().speed.checkpointing_factor : 1);
    return result;
  }

  static std::tuple<int, double, Sharding, double> order(const Attempt& attempt) {
    return {attempt.sacrifice, attempt.pass_cost, attempt.plan.sharding,
            attempt.device.expected.count()};
  }

  [[nodiscard]] PlannedStage planned(const Attempt& attempt) const {
    return {.workload = &m_stage,
            .plan = attempt.plan,
            .device = attempt.device,
            .fit = attempt.fit,
            .duration = attempt.duration};
  }

  // Why the smallest plan is too large, and the least change that would help:
  // a smaller batch where the user set one, shorter clips, or a larger card.
  [[nodiscard]] StageMisfit misfit(const Attempt& smallest) const {
    StageMisfit misfit;
    misfit.message =
        fmt::format("stage {} needs {:.1f} GiB at batch {}, {} gives {:.1f} GiB", m_stage.stage->id,
                    in_gib(smallest.device.expected), number_text(smallest.plan.batch),
                    m_group.gpu->name, in_gib(m_usable)) +
        spill_note(m_workload);
    misfit.lack = smallest.device.expected.count() / std::max(m_usable.count(), 1.0);
    misfit.asked_batch = smallest.plan.batch;
    misfit.asked_clip = m_stage.max_clip.value;
    misfit.needed = smallest.device.high + m_reserve;
    if (m_stage.asked.batch_size) misfit.batch = largest_batch(smallest.plan);
    misfit.max_clip = longest_clip(smallest.plan);
    return misfit;
  }

  // The largest batch below `plan`'s that fits.
  [[nodiscard]] std::optional<double> largest_batch(StagePlan plan) const {
    const double least = smallest_batch(m_stage);
    double low = 0;
    double high = plan.batch;
    while (high - low > 1) {
      plan.batch = std::floor((low + high) / 2);
      (fits(plan) ? low : high) = plan.batch;
    }
    return low >= least ? std::optional(low) : std::nullopt;
  }

  // The longest clip, in whole seconds, that would fit with these settings.
  [[nodiscard]] std::optional<Seconds> longest_clip(const StagePlan& plan) const {
    double low = 0;
    double high = std::floor(m_stage.max_clip.value.count());
    const GivenLengths given = given_lengths(m_stage.asked);
    while (high - low >= 1) {
      const double middle = std::ceil((low + high) / 2);
      StageWorkload shorter = m_stage;
      shorter.max_clip.value = Seconds(middle);
      shorter.lengths = lengths_of(m_stage.stage->lengths, Seconds(middle), given);
      StagePlan tried = plan;
      if (m_stage.stage->batch_unit == BatchUnit::frames) tried.batch = smallest_batch(shorter);
      if (judge(device_peak(shorter, tried, m_catalog.assumptions())).verdict == Verdict::fits)
        low = middle;
      else
        high = middle - 1;
    }
    return low >= 1 && Seconds(low) < m_stage.max_clip.value ? std::optional(Seconds(low))
                                                             : std::nullopt;
  }

  const Workload& m_workload;
  const StageWorkload& m_stage;
  const GpuGroup& m_group;
  const Catalog& m_catalog;
  Bytes m_reserve;
  Bytes m_usable;
};

}  // namespace

StagePlan recipe_plan(const StageWorkload& stage, const GpuGroup& group) {
  StagePlan plan;
  plan.precision = precisions_to_try(stage, *group.gpu).front();
  const MethodChoice method = methods_to_try(stage).front();
  plan.method = method.method;
  plan.lora_rank = method.rank;
  plan.checkpointing = checkpointing_to_try(stage).front();
  plan.optimizer = optimizers_to_try(stage).front();
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

StageOutcome plan_stage(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                        const Catalog& catalog) {
  return StageSearch(workload, stage, group, catalog).run();
}

}  // namespace vcgpu
