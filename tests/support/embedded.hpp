// The catalog inside the program, read once for all tests, and what is often
// asked of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vcgpu/catalog.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/planner.hpp"

namespace vcgpu::test {

inline const Catalog& embedded_catalog() {
  static const Catalog catalog = load_catalog({});
  return catalog;
}

// A value as a flag would give it.
template <class T>
Setting<T> flag(T value) {
  return {std::move(value), Origin::flag};
}

inline WorkloadRequest request_for(Task task, const std::string& model) {
  WorkloadRequest request;
  request.task = flag(task);
  request.model = flag(model);
  return request;
}

inline GpuGroup group_of(const Gpu& gpu, double count = 1) {
  return {&gpu, count, interconnect_of(gpu, count, {})};
}

inline GpuGroup embedded_group(std::string_view gpu, double count = 1) {
  return group_of(embedded_catalog().gpu(gpu), count);
}

// A stage with lengths set directly, as measurements state them.
struct ModelStage {
  const VoiceModel* model = nullptr;
  const Variant* variant = nullptr;
  const Stage* stage = nullptr;
};

inline std::vector<ModelStage> all_stages(const Catalog& catalog) {
  std::vector<ModelStage> stages;
  for (const VoiceModel& model : catalog.models()) {
    for (const Variant& variant : model.variants) {
      for (const Stage* stage : stages_of(model, variant))
        stages.push_back({&model, &variant, stage});
    }
  }
  return stages;
}

inline const Stage& embedded_stage(std::string_view model, std::string_view variant,
                                   std::string_view stage) {
  for (const ModelStage& known : all_stages(embedded_catalog())) {
    if (known.model->id == model && known.variant->id == variant && known.stage->id == stage)
      return *known.stage;
  }
  throw Error(
      ExitCode::usage, "unknown-stage",
      std::string(model) + "@" + std::string(variant) + " has no stage " + std::string(stage));
}

}  // namespace vcgpu::test
