// What must hold for the ladder of every model on all kinds of GPUs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "vcgpu/fit.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

std::vector<std::string> some_gpus() {
  std::vector<std::string> names{"4GB", "8GB", "12GB"};
  // Every third: neighbours differ little.
  for (std::size_t i = 0; i < embedded_catalog().gpus().size(); i += 3)
    names.push_back(embedded_catalog().gpus()[i].id);
  return names;
}

bool has_task(const VoiceModel& model, const Variant& variant, Task task) {
  if (!is_training(task)) return variant.inference.has_value();
  const std::vector<const Stage*> stages = stages_of(model, variant);
  return std::any_of(stages.begin(), stages.end(), [&](const Stage* stage) {
    return !stage->optional && stage->training.recipes.contains(task);
  });
}

// Every task of every variant on these GPUs.
void for_ladders(const std::function<void(const Workload&, const GpuFit&, std::size_t)>& check,
                 const std::vector<Task>& tasks, int gpu_count = 1) {
  const Catalog& catalog = embedded_catalog();
  for (const VoiceModel& model : catalog.models()) {
    for (const Variant& variant : model.variants) {
      for (const Task task : tasks) {
        if (!has_task(model, variant, task)) continue;
        const Workload workload = resolve(request_for(task, model.id + "@" + variant.id), catalog);
        const FitAnswer answer = fit_gpus(workload, catalog, some_gpus(), {}, gpu_count);
        for (const GpuFit& fit : answer.gpus) {
          for (std::size_t i = 0; i < fit.stages.size(); ++i) {
            CAPTURE(model.id, variant.id, fit.stages[i].stage, fit.plan.group.gpu->id, gpu_count);
            check(workload, fit, i);
          }
        }
      }
    }
  }
}

const std::vector<Task> trainings{Task::train, Task::finetune};
const std::vector<Task> all_tasks{Task::train, Task::finetune, Task::realtime, Task::batch};

bool same_settings(const StagePlan& a, const StagePlan& b) {
  return a.precision == b.precision && a.method == b.method && a.lora_rank == b.lora_rank &&
         a.attention == b.attention && a.checkpointing == b.checkpointing &&
         a.optimizer == b.optimizer && a.ema == b.ema && a.sharding == b.sharding &&
         a.batch == b.batch && a.grad_accum == b.grad_accum;
}

// What a user would type to get the settings of a rung.
WorkloadRequest typed(const Workload& workload, const StageWorkload& stage, const Rung& rung) {
  const StagePlan& plan = *rung.training;
  const Training& training = stage.stage->training;
  WorkloadRequest request = request_for(workload.task, workload.asked.model.value);
  request.stage = flag(stage.stage->id);
  request.max_clip = flag(rung.longest);
  request.batch_size = flag(plan.batch);
  if (training.accumulation_supported || plan.grad_accum > 1)
    request.grad_accum = flag(plan.grad_accum);
  request.precision = flag(plan.precision);
  request.checkpointing = flag(plan.checkpointing);
  request.optimizer = flag(plan.optimizer->id);
  if (training.lora) request.lora_rank = flag(plan.lora_rank);
  if (plan.attention) request.attention = flag(*plan.attention);
  if (training.ema_bytes) request.ema = flag(plan.ema);
  return request;
}

}  // namespace

TEST_CASE("a rung never needs more memory than the one before") {
  for (const int count : {1, 4}) {
    for_ladders(
        [](const Workload&, const GpuFit& fit, std::size_t i) {
          const std::vector<Rung>& ladder = fit.stages[i].ladder;
          for (std::size_t r = 1; r < ladder.size(); ++r)
            CHECK(ladder[r].needed < ladder[r - 1].needed);
        },
        count == 1 ? all_tasks : trainings, count);
  }
}

TEST_CASE("the recommended rung is the first that fits, and what is beyond is more room") {
  for_ladders(
      [](const Workload&, const GpuFit& fit, std::size_t i) {
        const StageFit& stage = fit.stages[i];
        bool fits = false;
        for (std::size_t r = 0; r < stage.ladder.size(); ++r) {
          CHECK(stage.ladder[r].more_room == (stage.recommended && r > *stage.recommended));
          if (fits || stage.ladder[r].fit.verdict != Verdict::fits) continue;
          fits = true;
          CHECK(stage.recommended == r);
        }
      },
      all_tasks);
}

TEST_CASE("the recommended settings are the planner's where the recipe does not fit") {
  std::size_t same = 0;
  for_ladders(
      [&](const Workload& workload, const GpuFit& fit, std::size_t i) {
        const Rung* chosen = fit.stages[i].chosen();
        if (chosen == nullptr || fit.stages[i].recommended == 0U ||
            chosen->fit.verdict != Verdict::fits)
          return;
        // Levers that a plan does not pull by itself.
        const StagePlan& recipe = *fit.stages[i].ladder.front().training;
        if (chosen->training->attention != recipe.attention ||
            chosen->training->ema != recipe.ema || chosen->lever == "shorter-clips")
          return;
        const GroupPlan plan = plan_group(workload, fit.plan.group, embedded_catalog());
        const PlannedStage& planned = plan.stages.at(i);
        if (same_settings(planned.plan, *chosen->training)) {
          ++same;
          return;
        }
        // A plan may also checkpoint for the sake of a larger batch, if that is
        // faster: the ladder checkpoints where it must.
        CHECK(planned.plan.checkpointing);
        CHECK_FALSE(chosen->training->checkpointing);
        if (planned.duration && chosen->time)
          CHECK(planned.duration->time.expected < chosen->time->expected);
      },
      trainings);
  CHECK(same > 300);
}

TEST_CASE("estimate says the same of a rung's settings") {
  std::size_t seen = 0;
  for_ladders(
      [&](const Workload& workload, const GpuFit& fit, std::size_t i) {
        for (const Rung& rung : fit.stages[i].ladder) {
          // Every seventh: each is a plan of its own.
          if (++seen % 7 != 0) continue;
          const Workload again =
              resolve(typed(workload, workload.stages[i], rung), embedded_catalog());
          const GroupPlan plan = plan_group(again, fit.plan.group, embedded_catalog());
          REQUIRE(plan.stages.size() == 1);
          CHECK(plan.device.expected.count() == Approx(rung.device.expected.count()));
          CHECK(plan.fit.verdict == rung.fit.verdict);
        }
      },
      trainings);
  CHECK(seen > 1000);
}

TEST_CASE("the plan of a ladder is its recommended rungs") {
  for_ladders(
      [](const Workload&, const GpuFit& fit, std::size_t i) {
        const Rung* chosen = fit.stages[i].chosen();
        if (chosen == nullptr) return;
        if (chosen->serving) {
          CHECK(fit.plan.device == chosen->device);
          CHECK(fit.plan.inference->precision == chosen->serving->precision);
        } else {
          CHECK(fit.plan.stages.at(i).device == chosen->device);
          CHECK(fit.plan.stages.at(i).workload->max_clip.value == chosen->longest);
        }
      },
      all_tasks);
}

TEST_CASE("the limits of a stage fit, and are no less than what is recommended") {
  for_ladders(
      [](const Workload&, const GpuFit& fit, std::size_t i) {
        const StageFit& stage = fit.stages[i];
        const Rung* chosen = stage.chosen();
        if (chosen == nullptr || chosen->fit.verdict != Verdict::fits) return;
        CHECK(stage.largest_batch >= chosen->training->batch);
        CHECK(*stage.longest_clip >= Seconds(std::floor(chosen->longest.count())));
        if (stage.cap_clip) CHECK(*stage.longest_clip <= *stage.cap_clip);
      },
      trainings);
}

TEST_CASE("in a grid, no longer clip and no larger batch needs less") {
  for_ladders(
      [](const Workload&, const GpuFit& fit, std::size_t i) {
        const std::vector<GridCell>& grid = fit.stages[i].grid;
        for (const GridCell& a : grid) {
          for (const GridCell& b : grid) {
            if (a.clip <= b.clip && a.batch <= b.batch) CHECK(a.expected <= b.expected);
          }
        }
      },
      {Task::finetune});
}

TEST_CASE("a lever is on the ladder or missing, not both, and a stage has the levers of its kind") {
  for_ladders(
      [](const Workload&, const GpuFit& fit, std::size_t i) {
        const StageFit& stage = fit.stages[i];
        for (const MissingLever& missing : stage.missing) {
          CHECK(std::none_of(stage.ladder.begin(), stage.ladder.end(), [&](const Rung& rung) {
            return rung.lever == missing.lever && !rung.more_room;
          }));
          CHECK_FALSE(missing.why.empty());
        }
      },
      all_tasks);
}

TEST_CASE("another card is larger, and does the job") {
  for_ladders(
      [](const Workload& workload, const GpuFit& fit, std::size_t) {
        if (!fit.another_card) return;
        CHECK(fit.another_card->usable > fit.plan.usable);
        // With changes, a plan of inference knows fewer than the ladder.
        if (workload.inference && !fit.another_card->by_recipe) return;
        const GroupPlan plan =
            plan_group(workload, embedded_group(fit.another_card->gpu->id, fit.another_card->count),
                       embedded_catalog());
        CHECK(plan.fit.verdict == Verdict::fits);
      },
      {Task::finetune, Task::batch});
}
