// Up to the first rung that fits, a rung is the planner's search with one lever
// more (src/estimate/stage_planner.cpp), so the rung that fits is what the
// planner takes. Beyond it, levers are pulled one by one on what was found.
#include "advise/training_ladder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "advise/config_settings.hpp"
#include "advise/fit_limits.hpp"
#include "advise/fit_words.hpp"
#include "base/numbers.hpp"
#include "estimate/stage_planner.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

struct Step {
  const LeverWords* words;
  bool Levers::*lever;
};

// Cheapest sacrifice first; what Levers::batch does depends on the trainer.
constexpr std::array steps{
    Step{&levers::micro_batch, &Levers::batch},
    Step{&levers::checkpointing, &Levers::checkpointing},
    Step{&levers::sharding, &Levers::sharding},
    Step{&levers::attention, &Levers::attention},
    Step{&levers::precision, &Levers::precision},
    Step{&levers::small_batch, &Levers::small_batch},
    Step{&levers::optimizer, &Levers::optimizer},
    Step{&levers::averaged_copy, &Levers::ema},
    Step{&levers::adapters, &Levers::adapters},
};

Levers all_levers() {
  Levers levers;
  levers.attention = levers.ema = true;
  return levers;
}

class Climb {
 public:
  Climb(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
        const Catalog& catalog)
      : m_workload(workload),
        m_stage(stage),
        m_training(stage.stage->training),
        m_group(group),
        m_catalog(catalog),
        m_usable(
            usable_vram(group, reserve_on(*group.gpu, workload.asked, catalog.assumptions()))) {}

  StageLadder run() {
    m_fit.stage = m_stage.stage->id;
    m_fit.batch_unit = m_stage.stage->batch_unit;
    m_fit.cap_clip = m_training.cap_clip;
    search();
    std::optional<StageWorkload> shorter;
    if (!fits()) shorter = shorten_clips();
    m_fit.recommended = recommended_rung(m_fit.ladder);
    if (!m_fit.recommended || shorter) name_fixed_settings();
    StageLadder result;
    result.workload = shorter.value_or(m_stage);
    result.recipe_fits = fits() && m_fit.ladder.size() == 1;
    if (!m_fit.ladder.empty()) {
      const std::size_t at = m_fit.recommended.value_or(m_fit.ladder.size() - 1);
      const Rung& rung = m_fit.ladder[at];
      // A tight rung before the last has the clips that were asked for.
      if (rung.lever != levers::shorter_clips.lever) result.workload = m_stage;
      result.stage = PlannedStage{
          .workload = nullptr,
          .plan = *rung.training,
          .device = rung.device,
          .fit = rung.fit,
          .duration = estimate_duration(result.workload, *rung.training, m_group, m_catalog)};
    }
    if (const Rung* chosen = m_fit.chosen()) {
      const StagePlan plan = *chosen->training;  // more_room() moves the rungs
      add_limits(m_workload, result.workload, plan, m_usable, m_catalog.assumptions(), m_fit);
      m_fit.settings = config_settings(result.workload, plan);
      const bool last = *m_fit.recommended + 1 == m_fit.ladder.size();
      if (last && !shorter) more_room(plan);
    }
    result.fit = std::move(m_fit);
    return result;
  }

 private:
  [[nodiscard]] bool fits() const {
    return !m_fit.ladder.empty() && m_fit.ladder.back().fit.verdict == Verdict::fits;
  }

  void search() {
    Levers open = Levers::none();
    if (const auto outcome = plan_stage(m_workload, m_stage, m_group, m_catalog, open);
        outcome.stage)
      m_fit.ladder.push_back(rung(levers::recipe, m_stage, outcome.stage->plan));
    for (const Step& step : steps) {
      if (fits()) return;
      open.*step.lever = true;
      const LeverWords& words = words_of(step);
      if (const std::string why = why_missing(step); !why.empty()) {
        m_fit.missing.push_back({std::string(words.lever), why});
        continue;
      }
      const StageOutcome outcome = plan_stage(m_workload, m_stage, m_group, m_catalog, open);
      if (!outcome.stage) continue;
      Rung next = rung(words, m_stage, outcome.stage->plan);
      note_what_is_given_back(next);
      if (m_fit.ladder.empty() || helps(next, m_fit.ladder.back()))
        m_fit.ladder.push_back(std::move(next));
      else
        m_fit.missing.push_back({std::string(words.lever), "saves nothing here"});
    }
  }

  // Names the levers that rungs before `next` pulled and that it leaves alone.
  void note_what_is_given_back(Rung& next) const {
    if (m_fit.ladder.empty()) return;
    const StagePlan& recipe = *m_fit.ladder.front().training;
    const StagePlan& plan = *next.training;
    const auto pulled_before = [&](auto changed) {
      return std::any_of(m_fit.ladder.begin(), m_fit.ladder.end(),
                         [&](const Rung& rung) { return changed(*rung.training); });
    };
    const auto check = [&](const LeverWords& words, auto changed) {
      if (!changed(plan) && pulled_before(changed)) next.not_needed.emplace_back(words.lever);
    };
    check(accumulates() ? levers::micro_batch : levers::some_smaller_batch,
          [&](const StagePlan& p) { return p.batch < recipe.batch; });
    check(levers::checkpointing,
          [&](const StagePlan& p) { return p.checkpointing != recipe.checkpointing; });
    check(levers::sharding, [&](const StagePlan& p) { return p.sharding != recipe.sharding; });
    check(levers::attention, [&](const StagePlan& p) { return p.attention != recipe.attention; });
    check(levers::precision, [&](const StagePlan& p) { return p.precision != recipe.precision; });
    check(levers::optimizer, [&](const StagePlan& p) { return p.optimizer != recipe.optimizer; });
    check(levers::averaged_copy, [&](const StagePlan& p) { return p.ema != recipe.ema; });
  }

  // The longest clips, in whole seconds, with which all levers make it fit.
  std::optional<StageWorkload> shorten_clips() {
    const Levers open = all_levers();
    double low = 0;
    double high = std::ceil(m_stage.max_clip.value.count()) - 1;
    std::optional<StagePlan> found;
    while (high - low >= 1) {
      const double middle = std::ceil((low + high) / 2);
      const StageWorkload shorter = with_clips_up_to(m_stage, Seconds(middle));
      const StageOutcome outcome = plan_stage(m_workload, shorter, m_group, m_catalog, open);
      if (outcome.stage && outcome.stage->fit.verdict == Verdict::fits) {
        low = middle;
        found = outcome.stage->plan;
      } else {
        high = middle - 1;
      }
    }
    if (!found) return std::nullopt;
    StageWorkload shorter = with_clips_up_to(m_stage, Seconds(low));
    shorter.max_clip.origin = Origin::automatic;
    Rung next = rung(levers::shorter_clips, shorter, *found);
    note_what_is_given_back(next);
    if (!m_fit.ladder.empty() && !helps(next, m_fit.ladder.back())) return std::nullopt;
    m_fit.ladder.push_back(std::move(next));
    return shorter;
  }

  // What else could be pulled on top of the recommended settings.
  void more_room(StagePlan plan) {
    for (const Step& step : steps) {
      if (!why_missing(step).empty()) continue;
      const std::optional<StagePlan> next = pulled(step, plan);
      if (!next) continue;
      Rung more = rung(words_of(step), m_stage, *next);
      more.more_room = true;
      if (!helps(more, m_fit.ladder.back()) || more.needed > m_fit.ladder.back().needed * 0.99)
        continue;
      m_fit.ladder.push_back(std::move(more));
      plan = *next;
    }
  }

  // `plan` with one lever pulled; nothing where that changes nothing.
  [[nodiscard]] std::optional<StagePlan> pulled(const Step& step, StagePlan plan) const {
    const auto lever = step.lever;
    if (lever == &Levers::batch || lever == &Levers::small_batch) {
      const double smallest = smallest_batch(m_stage);
      if (plan.batch <= smallest || m_stage.asked.batch_size) return std::nullopt;
      const double passes = plan.batch * plan.grad_accum;
      double batch = smallest;
      if (lever == &Levers::batch && !accumulates())
        batch =
            std::max(smallest, std::ceil(0.5 * plan.wanted_batch / plan.grad_accum / plan.gpus));
      if (batch >= plan.batch) return std::nullopt;
      plan.batch = batch;
      if (accumulates() && !m_stage.asked.grad_accum)
        plan.grad_accum = static_cast<int>(std::ceil(passes / batch - 1e-9));
      return plan;
    }
    const StagePlan before = plan;
    if (lever == &Levers::checkpointing) plan.checkpointing = true;
    if (lever == &Levers::sharding)
      plan.sharding = shardings_to_try(m_stage, plan.gpus, true).back();
    if (lever == &Levers::attention) plan.attention = Attention::sdpa;
    if (lever == &Levers::precision)
      plan.precision = precisions_to_try(m_stage, *m_group.gpu, true).back();
    if (lever == &Levers::optimizer) plan.optimizer = optimizers_to_try(m_stage, true).back();
    if (lever == &Levers::ema) plan.ema = false;
    if (lever == &Levers::adapters) {
      plan.method = Method::lora;
      plan.lora_rank = methods_to_try(m_stage, true).back().rank;
      if (before.method == Method::lora) return std::nullopt;
    }
    const MemoryProfile* profile =
        find_profile(m_training.profiles, {.precision = plan.precision,
                                           .attention = plan.attention,
                                           .checkpointing = plan.checkpointing,
                                           .method = plan.method});
    return profile != nullptr ? std::optional(plan) : std::nullopt;
  }

  [[nodiscard]] bool accumulates() const {
    return m_training.accumulation_supported && !m_training.accumulation_fixed;
  }

  [[nodiscard]] const LeverWords& words_of(const Step& step) const {
    return step.words == &levers::micro_batch && !accumulates() ? levers::some_smaller_batch
                                                                : *step.words;
  }

  // Why a lever cannot be pulled; empty where it can.
  [[nodiscard]] std::string why_missing(const Step& step) const {
    const WorkloadRequest& asked = m_stage.asked;
    const auto has_profile = [&](auto matches) {
      return std::any_of(m_training.profiles.begin(), m_training.profiles.end(), matches);
    };
    const auto set = [](const char* flag) { return fmt::format("you set --{}", flag); };
    const auto lever = step.lever;
    if (lever == &Levers::batch || lever == &Levers::small_batch) {
      if (asked.batch_size) return set("batch-size");
      if (lever == &Levers::small_batch && accumulates())
        return "not needed: the trainer accumulates";
    } else if (lever == &Levers::checkpointing) {
      if (asked.checkpointing) return set("grad-checkpoint");
      if (m_stage.recipe->checkpointing) return "on already";
      if (!has_profile([](const MemoryProfile& p) { return p.checkpointing; }))
        return "the trainer has none";
    } else if (lever == &Levers::sharding) {
      if (asked.sharding) return set("sharding");
      if (m_training.shardings.empty()) return "the trainer has none: every GPU holds everything";
      if (m_group.gpus() == 1) return "needs several GPUs: --gpu-count";
    } else if (lever == &Levers::attention) {
      if (asked.attention) return set("attention");
      if (m_stage.recipe->attention != Attention::eager) return "fused already, or none is known";
      if (!has_profile([](const MemoryProfile& p) { return p.attention == Attention::sdpa; }))
        return "the trainer has none";
    } else if (lever == &Levers::precision) {
      return why_no_half();
    } else if (lever == &Levers::optimizer) {
      if (asked.optimizer) return set("optimizer");
      if (m_training.optimizers.front().id == "adamw-8bit") return "on already";
      if (optimizers_to_try(m_stage, true).size() < 2) return "the trainer has none";
    } else if (lever == &Levers::ema) {
      if (asked.ema) return set("ema");
      if (!m_training.ema_bytes) return "the trainer keeps none";
      if (!m_training.ema_switch) return "the trainer has no switch for it";
    } else if (lever == &Levers::adapters) {
      if (asked.lora_rank) return set("lora");
      if (!m_training.lora) return "the trainer has none";
      if (m_stage.recipe->method == Method::lora) return "on already";
    }
    return {};
  }

  [[nodiscard]] std::string why_no_half() const {
    if (m_stage.asked.precision) return "you set --precision";
    const Gpu& gpu = *m_group.gpu;
    if (!supports(gpu, Precision::fp16) && !supports(gpu, Precision::bf16))
      return gpu.name + " has no 16-bit arithmetic that trainers use";
    if (is_half(m_stage.recipe->precision)) return "on already";
    const auto has_half = [](const MemoryProfile& p) {
      return std::any_of(p.precisions.begin(), p.precisions.end(), is_half);
    };
    if (std::none_of(m_training.profiles.begin(), m_training.profiles.end(), has_half))
      return "its memory is not known";
    return {};
  }

  // What the user set, and what would fit without it.
  void name_fixed_settings() {
    const WorkloadRequest& asked = m_stage.asked;
    const auto add = [&](const std::string& flag, auto WorkloadRequest::*lever) {
      if (!(asked.*lever)) return;
      StageWorkload freed = m_stage;
      (freed.asked.*lever).reset();
      const StageOutcome outcome = plan_stage(m_workload, freed, m_group, m_catalog, all_levers());
      const bool fits = outcome.stage && outcome.stage->fit.verdict == Verdict::fits;
      m_fit.fixed.push_back({flag, fits ? summary(*outcome.stage) : ""});
    };
    const auto flag = [](const char* name, const std::string& value) {
      return fmt::format("--{} {}", name, value);
    };
    if (asked.batch_size)
      add(flag("batch-size", number_text(asked.batch_size->value)), &WorkloadRequest::batch_size);
    if (asked.grad_accum)
      add(flag("grad-accum", std::to_string(asked.grad_accum->value)),
          &WorkloadRequest::grad_accum);
    if (asked.precision)
      add(flag("precision", std::string(name_of(asked.precision->value))),
          &WorkloadRequest::precision);
    if (asked.checkpointing)
      add(flag("grad-checkpoint", asked.checkpointing->value ? "on" : "off"),
          &WorkloadRequest::checkpointing);
    if (asked.lora_rank)
      add(flag("lora", asked.lora_rank->value > 0 ? std::to_string(asked.lora_rank->value) : "off"),
          &WorkloadRequest::lora_rank);
    if (asked.optimizer)
      add(flag("optimizer", asked.optimizer->value), &WorkloadRequest::optimizer);
    if (asked.attention)
      add(flag("attention", std::string(name_of(asked.attention->value))),
          &WorkloadRequest::attention);
    if (asked.ema) add(flag("ema", asked.ema->value ? "on" : "off"), &WorkloadRequest::ema);
    if (asked.sharding)
      add(flag("sharding", std::string(name_of(asked.sharding->value))),
          &WorkloadRequest::sharding);
  }

  static std::string summary(const PlannedStage& stage) {
    const StagePlan& plan = stage.plan;
    std::string text =
        fmt::format("{}, batch {}", name_of(plan.precision), number_text(plan.batch));
    if (plan.grad_accum > 1) text += fmt::format(" x {}", plan.grad_accum);
    if (plan.method == Method::lora) text += fmt::format(", LoRA rank {}", plan.lora_rank);
    if (plan.checkpointing) text += ", checkpointing";
    return text + fmt::format(", {:.1f} GiB", in_gib(stage.device.expected));
  }

  [[nodiscard]] Rung rung(const LeverWords& words, const StageWorkload& stage,
                          const StagePlan& plan) const {
    Rung next = rung_of(words);
    next.longest = stage.max_clip.value;
    next.training = plan;
    next.device = device_peak(stage, plan, m_catalog.assumptions());
    const double headroom = m_workload.asked.headroom.value;
    next.needed = needed_memory(next.device, headroom);
    next.fit = judge_fit(next.device, m_usable, headroom, m_catalog.assumptions());
    if (const auto duration = estimate_duration(stage, plan, m_group, m_catalog)) {
      next.time = duration->time;
      if (m_fit.ladder.empty())
        next.time_factor = words.lever == levers::recipe.lever ? std::optional(1.0) : std::nullopt;
      else if (m_fit.ladder.front().time && m_fit.ladder.front().time_factor)
        next.time_factor = next.time->expected / m_fit.ladder.front().time->expected;
    }
    return next;
  }

  const Workload& m_workload;
  const StageWorkload& m_stage;
  const Training& m_training;
  const GpuGroup& m_group;
  const Catalog& m_catalog;
  Bytes m_usable;
  StageFit m_fit;
};

}  // namespace

StageLadder climb(const Workload& workload, const StageWorkload& stage, const GpuGroup& group,
                  const Catalog& catalog) {
  return Climb(workload, stage, group, catalog).run();
}

}  // namespace vcgpu
