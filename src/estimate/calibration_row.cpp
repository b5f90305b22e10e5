#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "estimate/calibration.hpp"
#include "estimate/fixed_parts.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

void refuse_row(const CalibrationRequest& request, const Measurement& row,
                const std::string& column, const std::string& message, const std::string& hint) {
  throw Error(ExitCode::usage, "bad-measurement",
              fmt::format("{}:{}: {}: {}", request.file, row.line, column, message), hint);
}

Bytes live_of(const CalibratedRow& row, const FixedParts& parts, const CalibrationRequest& request,
              const MemoryAssumptions& memory) {
  const Bytes peak = row.measurement->peak;
  const Bytes bucket(parts.bucket);
  // A measured card had room: its allocator kept a cache.
  const Overhead& overhead = memory.training.at(request.stage->family);
  const double slack = overhead.slack + overhead.cache;
  switch (row.measurement->kind) {
    case PeakCounter::allocated:
      return peak - bucket;
    case PeakCounter::reserved:
      return (peak - bucket) / (1 + slack);
    case PeakCounter::device:
      return (peak - bucket - memory.cuda_context.expected -
              communication_buffers(row.plan.gpus, memory)) /
             (1 + slack);
  }
  return peak;
}

CalibratedRow row_of(const Measurement& measurement, const CalibrationRequest& request) {
  const Stage& stage = *request.stage;
  const Training& training = stage.training;
  const Recipe& recipe = *request.recipe;
  const auto refuse = [&](const char* column, const std::string& message, const std::string& hint) {
    refuse_row(request, measurement, column, message, hint);
  };
  CalibratedRow row;
  row.measurement = &measurement;
  StagePlan& plan = row.plan;
  plan.precision = measurement.precision;
  plan.checkpointing = measurement.checkpointing.value_or(recipe.checkpointing);
  plan.attention = measurement.attention ? measurement.attention : recipe.attention;
  plan.method = recipe.method;
  if (measurement.lora_rank) plan.method = *measurement.lora_rank > 0 ? Method::lora : Method::full;
  if (plan.method == Method::lora) {
    if (!training.lora)
      refuse("lora_rank", fmt::format("stage {} is not known to train with LoRA", stage.id),
             training.profiles.empty()
                 ? "leave it out: --parameters counts what trains, --frozen the rest"
                 : "leave it out");
    plan.lora_rank = measurement.lora_rank.value_or(training.lora->default_rank);
  }
  plan.optimizer = &training.optimizers.front();
  if (measurement.optimizer) {
    std::vector<std::string> known;
    plan.optimizer = nullptr;
    for (const Optimizer& optimizer : training.optimizers) {
      known.push_back(optimizer.id);
      if (optimizer.id == *measurement.optimizer) plan.optimizer = &optimizer;
    }
    if (plan.optimizer == nullptr)
      refuse("optimizer",
             fmt::format("stage {} does not train with '{}'", stage.id,
                         printable(*measurement.optimizer, 40)),
             did_you_mean(*measurement.optimizer, known, "one of: " + joined(known)));
  }
  plan.batch = plan.wanted_batch = measurement.batch;
  plan.grad_accum = measurement.grad_accum;
  plan.gpus = measurement.gpus;
  if (stage.batch_unit == BatchUnit::clips && std::floor(plan.batch) != plan.batch)
    refuse("batch", fmt::format("{} clips are not possible", number_text(plan.batch)),
           "a whole number");
  if (training.cap_clip && measurement.clip.count() > training.cap_clip->count() * 1.01)
    refuse("clip_s",
           fmt::format("stage {} cuts or skips clips longer than {}", stage.id,
                       duration_text(*training.cap_clip)),
           "give the length that reached the GPU");
  row.workload.stage = &stage;
  row.workload.recipe = &recipe;
  row.workload.max_clip = row.workload.mean_clip = {measurement.clip, Origin::flag};
  row.workload.lengths =
      lengths_of(stage.lengths, measurement.clip, {.text_tokens = measurement.text_tokens});
  return row;
}

}  // namespace vcgpu
