// The settings of a training that may be changed to make it fit.
#pragma once

#include <optional>
#include <vector>

#include "vcgpu/workload.hpp"

namespace vcgpu {

// What the search may change of the recipe. A lever that the user set is never
// pulled, whatever stands here. The default is what a plan may silently do:
// not ask for a newer framework, nor leave out the averaged copy that is what
// people listen to.
struct Levers {
  bool batch = true;  // micro-batch; the effective batch to half of the recipe's
  bool checkpointing = true;
  bool sharding = true;
  bool attention = false;  // fused (sdpa) where the recipe's is eager
  bool precision = true;
  bool small_batch = true;  // effective batch below half of the recipe's
  bool optimizer = true;    // 8-bit
  bool ema = false;
  bool adapters = true;  // LoRA

  static constexpr Levers none() {
    return {false, false, false, false, false, false, false, false, false};
  }
};

struct MethodChoice {
  Method method{};
  int rank = 0;
};

// What a search may try of each: what the user asked for alone, else the
// recipe's own first and then, with an open lever, what needs less memory and
// the trainer has.
std::vector<Precision> precisions_to_try(const StageWorkload& stage, const Gpu& gpu, bool open);
std::vector<MethodChoice> methods_to_try(const StageWorkload& stage, bool open);
std::vector<bool> checkpointing_to_try(const StageWorkload& stage, bool open);
// Empty: as the training code has it.
std::vector<std::optional<Attention>> attentions_to_try(const StageWorkload& stage, bool open);
std::vector<bool> averaged_copies_to_try(const StageWorkload& stage, bool open);
std::vector<const Optimizer*> optimizers_to_try(const StageWorkload& stage, bool open);
// Sharding changes nothing in the result, but every pass waits for more
// traffic: after plain data parallelism.
std::vector<Sharding> shardings_to_try(const StageWorkload& stage, int gpus, bool open);

// The precision that inference runs in on this card: the workload's, else what
// the project's code falls back to, else nothing: it cannot run there. A
// precision that the user asked for is not changed.
std::optional<Precision> inference_precision(const InferenceWorkload& workload, const Gpu& gpu);

}  // namespace vcgpu
