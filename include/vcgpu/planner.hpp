// The best settings for a group of GPUs.
//
// Planning depends on the hardware alone, so it runs once per GPU group and is
// then joined with however many offers there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vcgpu/estimate.hpp"

namespace vcgpu {

struct PlannedStage {
  const StageWorkload* workload = nullptr;
  StagePlan plan;
  Range<Bytes> device;
  Fit fit;
  std::optional<StageDuration> duration;
};

// Why a group cannot do the job, and the smallest change that would help.
struct Obstacle {
  std::string code;
  std::string message;
  std::string nearest_fix;  // may be empty
};

struct GroupPlan {
  GpuGroup group;
  Bytes usable;
  std::vector<PlannedStage> stages;  // training
  std::size_t peak_stage = 0;
  const InferenceWorkload* served = nullptr;  // inference
  std::optional<InferencePlan> inference;
  Range<Bytes> device;                 // of the peak stage
  Fit fit;                             // the worst stage's
  std::optional<Range<Seconds>> time;  // preprocessing and all stages
  std::vector<StageDuration> durations;
  Basis time_basis{};
  std::optional<InferenceSpeed> speed;
  std::optional<Obstacle> obstacle;  // set: not a candidate
};

// Training: per stage, keeps the recipe's effective batch, takes the largest
// micro-batch that fits, the precision that the card has, then checkpointing,
// an 8-bit optimizer and LoRA where the model has them and the user leaves it
// open; of what fits with the least sacrifice, the fastest. Clip length is
// never changed, only suggested. Inference: as many streams as fit and keep up.
GroupPlan plan_group(const Workload& workload, const GpuGroup& group, const Catalog& catalog);

// The plan of these settings of all stages, whether they fit or not.
GroupPlan plan_of_stages(const Workload& workload, const GpuGroup& group, const Catalog& catalog,
                         std::vector<PlannedStage> stages);

// Peak memory by component of a planned stage, or of the inference plan.
MemoryEstimate memory_of(const Workload& workload, const GroupPlan& plan, std::size_t stage,
                         const Assumptions& assumptions);

}  // namespace vcgpu
