// The search over a stage's settings.
//
// Candidates are all combinations of the levers that the trainer has, the user
// leaves open and the caller allows (at most some hundreds); for each, the
// largest micro-batch that fits is found by bisection, since memory grows with
// it. Of those, the least sacrifice wins, then the shortest time. Time and
// checkpointing are no sacrifice: they change nothing in the result. A newer
// framework, another precision, a smaller effective batch, an 8-bit optimizer,
// no averaged copy and LoRA are, in rising order; each outweighs all before it.
#include "estimate/stage_planner.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

enum Sacrifice : int {
  none = 0,
  newer_framework = 1,
  other_precision = 2,
  smaller_batch = 4,
  eight_bit_optimizer = 8,
  no_averaged_copy = 16,
  adapters = 32
};

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
              const Catalog& catalog, const Levers& levers)
      : m_workload(workload),
        m_stage(stage),
        m_group(group),
        m_catalog(catalog),
        m_levers(levers),
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
    const Precision recipe = m_stage.recipe->precision;
    if (!smallest && !m_stage.asked.precision && !supports(*m_group.gpu, recipe))
      return {std::nullopt,
              Obstacle{"no-precision",
                       fmt::format("{} has no {}, and stage {} is not known in another precision",
                                   m_group.gpu->name, name_of(recipe), m_stage.stage->id),
                       "a GPU with compute capability 8.0 or newer"},
              std::nullopt};
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

  // Calls visit(plan, sacrifice) for every combination whose memory is known.
  template <class Visit>
  void for_each_combination(Visit visit) const {
    const std::vector<Precision> precisions =
        precisions_to_try(m_stage, *m_group.gpu, m_levers.precision);
    for (const Precision precision : precisions) {
      for (const MethodChoice& method : methods_to_try(m_stage, m_levers.adapters)) {
        for (const bool checkpointing : checkpointing_to_try(m_stage, m_levers.checkpointing)) {
          for (const auto& attention : attentions_to_try(m_stage, m_levers.attention)) {
            StagePlan plan;
            plan.precision = precision;
            plan.method = method.method;
            plan.lora_rank = method.rank;
            plan.checkpointing = checkpointing;
            plan.gpus = m_group.gpus();
            const MemoryProfile* profile =
                find_profile(m_stage.stage->training.profiles, {.precision = precision,
                                                                .attention = attention,
                                                                .checkpointing = checkpointing,
                                                                .method = method.method});
            if (profile == nullptr) continue;
            plan.attention = profile->attention;
            int sacrifice = precision == precisions.front() ? none : other_precision;
            if (!m_stage.asked.lora_rank && method.method != m_stage.recipe->method)
              sacrifice += adapters;
            if (!m_stage.asked.attention && attention != m_stage.recipe->attention)
              sacrifice += newer_framework;
            for_each_state(plan, sacrifice, visit);
          }
        }
      }
    }
  }

  // The levers that no profile depends on.
  template <class Visit>
  void for_each_state(StagePlan plan, int sacrifice, Visit visit) const {
    const Optimizer* usual = &m_stage.stage->training.optimizers.front();
    for (const Optimizer* optimizer : optimizers_to_try(m_stage, m_levers.optimizer)) {
      plan.optimizer = optimizer;
      const bool other = !m_stage.asked.optimizer && optimizer != usual;
      for (const bool ema : averaged_copies_to_try(m_stage, m_levers.ema)) {
        plan.ema = ema;
        const bool left_out = !m_stage.asked.ema && !ema;
        for (const Sharding sharding : shardings_to_try(m_stage, plan.gpus, m_levers.sharding)) {
          plan.sharding = sharding;
          visit(plan, sacrifice + (other ? eight_bit_optimizer : none) +
                          (left_out ? no_averaged_copy : none));
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
    double most = recipe * accumulation;
    // Without a card to fill, or by the recipe alone, its own micro-batch.
    if (m_group.gpu->id == no_gpu_id) most = recipe;
    if (!m_levers.batch) most = std::min(most, recipe * plan.gpus);
    return {plan, std::max(smallest_batch(m_stage), std::ceil(most / plan.gpus))};
  }

  // The smallest micro-batch that the levers allow, `most` being the largest.
  [[nodiscard]] double least_batch(const StagePlan& plan, double most) const {
    if (m_stage.asked.batch_size || !m_levers.batch) return most;
    const double smallest = std::min(most, smallest_batch(m_stage));
    if (m_levers.small_batch || with_batch(plan, smallest).effective_batch() >= half_of(plan))
      return smallest;
    const double per_pass = most * half_of(plan) / with_batch(plan, most).effective_batch();
    return std::clamp(std::ceil(per_pass - 1e-9), smallest, most);
  }
  static double half_of(const StagePlan& plan) { return 0.5 * plan.wanted_batch; }

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
    const double least = least_batch(plan, most);
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
    if (chosen.effective_batch() < half_of(chosen)) sacrifice += smaller_batch;
    return attempt(chosen, sacrifice);
  }

  [[nodiscard]] Attempt least_memory(const StagePlan& settings, int sacrifice) const {
    const auto [plan, most] = wanted(settings);
    return attempt(with_batch(plan, least_batch(plan, most)), sacrifice);
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
    while (high - low >= 1) {
      const double middle = std::ceil((low + high) / 2);
      const StageWorkload shorter = with_clips_up_to(m_stage, Seconds(middle));
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
  const Levers m_levers;
  Bytes m_reserve;
  Bytes m_usable;
};

}  // namespace

StageOutcome plan_stage(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                        const Catalog& catalog, const Levers& levers) {
  return StageSearch(workload, stage, group, catalog, levers).run();
}

}  // namespace vcgpu
