#include "vcgpu/fit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "advise/cards.hpp"
#include "advise/estimate_gpus.hpp"
#include "advise/reasons.hpp"
#include "advise/serving_ladder.hpp"
#include "advise/training_ladder.hpp"
#include "estimate/stage_planner.hpp"

namespace vcgpu {

namespace {

// Two, four and eight are what machines have.
constexpr int more_counts[] = {2, 4, 8};

GpuGroup group_of(const Gpu& gpu, int count) {
  return {&gpu, static_cast<double>(count), interconnect_of(gpu, count, {})};
}

bool all_fit(const GroupPlan& plan) { return !plan.obstacle && plan.fit.verdict == Verdict::fits; }

// Nothing but memory stands in the way, if that.
bool fits_or_not(const GroupPlan& plan) {
  return !plan.obstacle || plan.obstacle->code == "does-not-fit";
}

bool recipe_fits(const Workload& workload, const GpuGroup& group, const Catalog& catalog) {
  if (workload.inference) return climb_serving(workload, group, catalog).recipe_fits;
  return std::all_of(
      workload.stages.begin(), workload.stages.end(), [&](const StageWorkload& stage) {
        const StageOutcome outcome = plan_stage(workload, stage, group, catalog, Levers::none());
        return outcome.stage && outcome.stage->fit.verdict == Verdict::fits;
      });
}

// The smallest card that does the job: by the recipe as it is where the asked
// one does it with changes, else at all.
std::optional<OtherHardware> another_card(const Workload& workload, const GpuFit& fit,
                                          const Catalog& catalog) {
  std::vector<const Gpu*> cards;
  for (const Gpu& gpu : catalog.gpus()) {
    // Memory that it shares with the host is not for sale by itself.
    if (!gpu.unified_memory && gpu.form != Form::edge) cards.push_back(&gpu);
  }
  std::stable_sort(cards.begin(), cards.end(),
                   [](const Gpu* a, const Gpu* b) { return a->usable_gib < b->usable_gib; });
  const bool by_recipe = fit.solved();
  for (const Gpu* gpu : cards) {
    if (usable_vram(*gpu) <= usable_vram(*fit.plan.group.gpu)) continue;
    const GpuGroup group = group_of(*gpu, fit.plan.group.gpus());
    const GroupPlan plan = plan_group(workload, group, catalog);
    if (workload.inference && !by_recipe && fits_or_not(plan)) {
      // The ladder offloads and cuts, which a plan does not.
      const ServingLadder ladder = climb_serving(workload, group, catalog);
      const Rung* chosen = ladder.fit.chosen();
      if (chosen == nullptr || chosen->fit.verdict != Verdict::fits) continue;
      return OtherHardware{gpu, group.gpus(), plan.usable, chosen->device, false};
    }
    if (!all_fit(plan)) continue;
    if (by_recipe && !recipe_fits(workload, group, catalog)) continue;
    return OtherHardware{gpu, group.gpus(), plan.usable, plan.device, by_recipe};
  }
  return std::nullopt;
}

// The fewest GPUs of this kind that share out what one cannot hold.
std::optional<OtherHardware> more_gpus(const Workload& workload, const GroupPlan& plan,
                                       const Catalog& catalog) {
  const bool shares =
      std::any_of(workload.stages.begin(), workload.stages.end(),
                  [](const StageWorkload& s) { return !s.stage->training.shardings.empty(); });
  // Slices are not joined; a training runs on one.
  if (!shares || plan.group.gpu->id.find('/') != std::string::npos) return std::nullopt;
  for (const int count : more_counts) {
    if (count <= plan.group.gpus()) continue;
    const GroupPlan larger = plan_group(workload, group_of(*plan.group.gpu, count), catalog);
    if (all_fit(larger))
      return OtherHardware{plan.group.gpu, count, larger.usable, larger.device, false};
  }
  return std::nullopt;
}

// Nothing where a stage's memory is not known at all.
bool climb_all(const Workload& workload, const GpuGroup& group, const Catalog& catalog, GpuFit& fit,
               bool& by_recipe) {
  if (workload.inference) {
    ServingLadder ladder = climb_serving(workload, group, catalog);
    by_recipe = ladder.recipe_fits;
    fit.workload.inference = ladder.workload;
    fit.stages.push_back(std::move(ladder.fit));
    fit.plan = plan_group(fit.workload, group, catalog);
    return true;
  }
  std::vector<PlannedStage> stages;
  for (std::size_t i = 0; i < workload.stages.size(); ++i) {
    StageLadder ladder = climb(workload, workload.stages[i], group, catalog);
    if (!ladder.stage) return false;
    by_recipe = by_recipe && ladder.recipe_fits;
    fit.workload.stages[i] = std::move(ladder.workload);
    ladder.stage->workload = &fit.workload.stages[i];
    stages.push_back(std::move(*ladder.stage));
    fit.stages.push_back(std::move(ladder.fit));
  }
  fit.plan = plan_of_stages(fit.workload, group, catalog, std::move(stages));
  return true;
}

class Fitter {
 public:
  Fitter(const Workload& workload, const Catalog& catalog)
      : m_workload(workload), m_catalog(catalog) {}

  FitAnswer run(const std::vector<std::string>& gpus, const OfferFilter& filter, int gpu_count) {
    Recommendation& result = m_answer.recommendation;
    for (const AskedCard& card : asked_cards(gpus, filter, gpu_count, m_catalog, result.made_up)) {
      if (card.miss)
        reject_card(result, *card.gpu, gpu_count, *card.miss);
      else
        add(group_of(*card.gpu, gpu_count), card.rates_known);
    }
    sort_by_fit(result);
    for (Candidate& candidate : result.candidates)
      candidate.reasons = reasons_for(candidate, result, m_catalog);
    return std::move(m_answer);
  }

 private:
  void add(const GpuGroup& group, bool rates_known) {
    GroupPlan planned = plan_group(m_workload, group, m_catalog);
    bool by_recipe = true;
    // The plan points into the workload beside it: both stay where they are.
    GpuFit& fit = m_answer.gpus.emplace_back();
    fit.workload = m_workload;
    if (!fits_or_not(planned) || !climb_all(m_workload, group, m_catalog, fit, by_recipe)) {
      m_answer.gpus.pop_back();
      return reject(std::move(planned));
    }
    if (!fit.solved()) {
      fit.plan.obstacle = planned.obstacle;
      fit.more_gpus = more_gpus(m_workload, fit.plan, m_catalog);
    } else {
      fit.plan.obstacle.reset();
    }
    if (!by_recipe) {
      fit.note = spill_note(m_workload);
      fit.another_card = another_card(m_workload, fit, m_catalog);
    }
    if (!rates_known) {
      fit.plan.time = std::nullopt;
      fit.plan.durations.clear();
      fit.plan.speed = std::nullopt;
    }
    Candidate candidate;
    candidate.plan = &fit.plan;
    candidate.wall = fit.plan.time;
    m_answer.recommendation.candidates.push_back(std::move(candidate));
  }

  void reject(GroupPlan plan) {
    Obstacle obstacle = plan.obstacle.value_or(Obstacle{"unknown-memory", "not known", ""});
    Recommendation& result = m_answer.recommendation;
    const GroupPlan& kept = result.plans.emplace_back(std::move(plan));
    result.rejections.push_back({&kept, nullptr, nullptr, 1, std::move(obstacle.code),
                                 std::move(obstacle.message), std::move(obstacle.nearest_fix),
                                 false});
  }

  const Workload& m_workload;
  const Catalog& m_catalog;
  FitAnswer m_answer;
};

}  // namespace

bool GpuFit::solved() const {
  return std::all_of(stages.begin(), stages.end(),
                     [](const StageFit& stage) { return stage.recommended.has_value(); });
}

const GpuFit& FitAnswer::of(const Candidate& candidate) const {
  return *std::find_if(gpus.begin(), gpus.end(),
                       [&](const GpuFit& fit) { return &fit.plan == candidate.plan; });
}

FitAnswer fit_gpus(const Workload& workload, const Catalog& catalog,
                   const std::vector<std::string>& gpus, const OfferFilter& filter, int gpu_count) {
  return Fitter(workload, catalog).run(gpus, filter, gpu_count);
}

}  // namespace vcgpu
