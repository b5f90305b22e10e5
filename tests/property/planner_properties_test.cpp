// What must hold for the plan of every model on every GPU of the catalog.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "vcgpu/planner.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// Every training of every variant on every GPU, alone and as a group of 4.
void for_stages(const std::function<void(const GroupPlan&, const PlannedStage&)>& check) {
  const Catalog& catalog = embedded_catalog();
  std::size_t seen = 0;
  for (const VoiceModel& model : catalog.models()) {
    for (const Variant& variant : model.variants) {
      const std::vector<const Stage*> stages = stages_of(model, variant);
      for (const Task task : {Task::train, Task::finetune}) {
        if (std::none_of(stages.begin(), stages.end(), [&](const Stage* stage) {
              return stage->training.recipes.contains(task);
            }))
          continue;
        const Workload workload = resolve(request_for(task, model.id + "@" + variant.id), catalog);
        for (const Gpu& gpu : catalog.gpus()) {
          for (const double count : {1.0, 4.0}) {
            const GroupPlan plan = plan_group(workload, group_of(gpu, count), catalog);
            for (const PlannedStage& stage : plan.stages) {
              CAPTURE(model.id, variant.id, stage.workload->stage->key, gpu.id, count);
              check(plan, stage);
              ++seen;
            }
          }
        }
      }
    }
  }
  CHECK(seen > 3000);
}

bool has_profile(const Training& training, const std::function<bool(const MemoryProfile&)>& test) {
  return std::any_of(training.profiles.begin(), training.profiles.end(), test);
}

}  // namespace

TEST_CASE("a plan uses only the levers that the trainer has") {
  for_stages([](const GroupPlan&, const PlannedStage& stage) {
    const Training& training = stage.workload->stage->training;
    const StagePlan& plan = stage.plan;
    if (plan.grad_accum > 1)
      CHECK((training.accumulation_supported || training.accumulation_fixed));
    if (training.accumulation_fixed) CHECK(plan.grad_accum == *training.accumulation_fixed);
    if (plan.method == Method::lora) CHECK(training.lora);
    if (plan.gpus > 1) CHECK(training.multi_gpu);
    if (plan.checkpointing)
      CHECK(has_profile(training, [](const MemoryProfile& p) { return p.checkpointing; }));
  });
}

TEST_CASE("a plan's effective batch is never above the recipe's, but for rounding") {
  for_stages([](const GroupPlan&, const PlannedStage& stage) {
    if (stage.workload->stage->batch_unit != BatchUnit::clips) return;
    const StagePlan& plan = stage.plan;
    CHECK(plan.effective_batch() < plan.wanted_batch + plan.grad_accum * plan.gpus);
  });
}

TEST_CASE("a trainer that accumulates keeps the recipe's effective batch") {
  for_stages([](const GroupPlan&, const PlannedStage& stage) {
    if (!stage.workload->stage->training.accumulation_supported) return;
    CHECK(stage.plan.effective_batch() >= stage.plan.wanted_batch);
  });
}

TEST_CASE("a plan's memory is what the estimate says of its settings") {
  for_stages([](const GroupPlan&, const PlannedStage& stage) {
    CHECK(stage.device ==
          device_peak(*stage.workload, stage.plan, embedded_catalog().assumptions()));
  });
}

TEST_CASE("a group's peak is the largest of its stages") {
  for_stages([](const GroupPlan& plan, const PlannedStage& stage) {
    CHECK(stage.device.expected <= plan.device.expected);
  });
}

TEST_CASE("a batch is one clip at least") {
  for_stages([](const GroupPlan&, const PlannedStage& stage) { CHECK(stage.plan.batch >= 1); });
}

TEST_CASE("a budget of frames holds the longest clip, which would be dropped else") {
  // SWivid/F5-TTS, DynamicBatchSampler: clips above the budget are left out.
  std::set<std::string> too_small;
  for_stages([&](const GroupPlan&, const PlannedStage& stage) {
    if (stage.workload->stage->batch_unit == BatchUnit::frames &&
        stage.plan.batch < stage.workload->lengths[Variable::clip_frames])
      too_small.insert(stage.workload->stage->key);
  });
  CHECK(too_small == std::set<std::string>{});
}

TEST_CASE("a stage that fits leaves the headroom that was asked for") {
  for_stages([](const GroupPlan& plan, const PlannedStage& stage) {
    if (stage.fit.verdict != Verdict::fits) return;
    CHECK(stage.device.high <= plan.usable);
    CHECK(stage.device.expected <= plan.usable * 0.95);
  });
}
