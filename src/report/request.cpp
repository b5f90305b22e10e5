#include "report/request.hpp"

#include "report/answer.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

Json entry(Json value, Origin origin) {
  return {{"value", std::move(value)}, {"origin", name_of(origin)}};
}

struct StageValue {
  std::string stage;
  Json value;
  Origin origin{};
};

// One value where all stages agree, else an object by stage.
Json by_stage(const std::vector<StageValue>& values) {
  bool same = true;
  Json object = Json::object();
  for (const StageValue& item : values) {
    same = same && item.value == values.front().value;
    object[item.stage] = item.value;
  }
  return entry(same ? values.front().value : object, values.front().origin);
}

template <class Read>
void put(Json& request, const char* key, const Workload& workload, Read read) {
  std::vector<StageValue> values;
  for (const StageWorkload& stage : workload.stages) {
    if (std::optional<std::pair<Json, Origin>> value = read(stage))
      values.push_back({stage.stage->id, std::move(value->first), value->second});
  }
  if (!values.empty()) request[key] = by_stage(values);
}

template <class Read>
void put_plan(Json& request, const char* key, const GroupPlan* best, Read read) {
  if (best == nullptr) return;
  std::vector<StageValue> values;
  for (const PlannedStage& stage : best->stages) {
    auto [value, origin] = read(stage);
    values.push_back({stage.workload->stage->id, std::move(value), origin});
  }
  if (!values.empty()) request[key] = by_stage(values);
}

template <class T>
Origin origin_of(const Asked<T>& asked) {
  return asked ? asked->origin : Origin::automatic;
}

void put_training(Json& request, const Workload& workload, const GroupPlan* best) {
  using Pair = std::pair<Json, Origin>;
  const WorkloadRequest& asked = workload.asked;
  request["dataset_s"] =
      entry(whole_or_real(workload.dataset.value.count()), workload.dataset.origin);
  request["speakers"] = entry(workload.speakers.value, workload.speakers.origin);
  put(request, "max_clip_s", workload, [](const StageWorkload& s) {
    return std::optional(Pair(whole_or_real(s.max_clip.value.count()), s.max_clip.origin));
  });
  put(request, "mean_clip_s", workload, [](const StageWorkload& s) {
    return std::optional(Pair(whole_or_real(s.mean_clip.value.count()), s.mean_clip.origin));
  });
  put(request, "epochs", workload, [](const StageWorkload& s) {
    return s.epochs ? std::optional(Pair(whole_or_real(s.epochs->value), s.epochs->origin))
                    : std::nullopt;
  });
  put(request, "steps", workload, [](const StageWorkload& s) {
    return s.steps ? std::optional(Pair(s.steps->value, s.steps->origin)) : std::nullopt;
  });
  put_plan(request, "batch_size", best, [&](const PlannedStage& s) {
    return Pair(whole_or_real(s.plan.batch), origin_of(asked.batch_size));
  });
  put_plan(request, "batch_unit", best, [&](const PlannedStage& s) {
    return Pair(name_of(s.workload->stage->batch_unit), Origin::model_default);
  });
  put_plan(request, "grad_accum", best, [&](const PlannedStage& s) {
    return Pair(s.plan.grad_accum, origin_of(asked.grad_accum));
  });
  put_plan(request, "precision", best, [&](const PlannedStage& s) {
    return Pair(name_of(s.plan.precision), origin_of(asked.precision));
  });
  put_plan(request, "grad_checkpoint", best, [&](const PlannedStage& s) {
    return Pair(s.plan.checkpointing, origin_of(asked.checkpointing));
  });
  put_plan(request, "lora_rank", best, [&](const PlannedStage& s) {
    return Pair(s.plan.method == Method::lora ? Json(s.plan.lora_rank) : Json(nullptr),
                origin_of(asked.lora_rank));
  });
  put_plan(request, "optimizer", best, [&](const PlannedStage& s) {
    return Pair(s.plan.optimizer->id, origin_of(asked.optimizer));
  });
  put_plan(request, "attention", best, [&](const PlannedStage& s) {
    return Pair(s.plan.attention ? Json(name_of(*s.plan.attention)) : Json(nullptr),
                asked.attention ? asked.attention->origin : Origin::model_default);
  });
  put(request, "ema", workload, [&](const StageWorkload& s) {
    return s.stage->training.ema_bytes
               ? std::optional(Pair(!s.asked.ema || s.asked.ema->value,
                                    asked.ema ? asked.ema->origin : Origin::model_default))
               : std::nullopt;
  });
  put_plan(request, "sharding", best, [&](const PlannedStage& s) {
    return Pair(name_of(s.plan.sharding), origin_of(asked.sharding));
  });
}

// The levers as asked, where no plan could be made with them.
void put_asked(Json& request, const WorkloadRequest& asked) {
  const auto put_setting = [&](const char* key, const auto& setting, auto json) {
    if (setting) request[key] = entry(json(setting->value), setting->origin);
  };
  put_setting("batch_size", asked.batch_size, [](double v) { return whole_or_real(v); });
  put_setting("grad_accum", asked.grad_accum, [](int v) { return Json(v); });
  put_setting("precision", asked.precision, [](Precision v) { return Json(name_of(v)); });
  put_setting("grad_checkpoint", asked.checkpointing, [](bool v) { return Json(v); });
  put_setting("lora_rank", asked.lora_rank, [](int v) { return v > 0 ? Json(v) : Json(nullptr); });
  put_setting("optimizer", asked.optimizer, [](const std::string& v) { return Json(v); });
  put_setting("attention", asked.attention, [](Attention v) { return Json(name_of(v)); });
}

template <class T>
void put_list(Json& request, const char* key, const std::vector<T>& values) {
  if (!values.empty()) request[key] = entry(values, Origin::flag);
}

void put_range(Json& request, const char* key, const std::optional<OpenRange>& range) {
  if (!range) return;
  const auto end = [](const std::optional<double>& v) {
    return v ? whole_or_real(*v) : Json(nullptr);
  };
  request[key] = entry({{"low", end(range->low)}, {"high", end(range->high)}}, Origin::flag);
}

std::vector<std::string_view> vendor_words(const std::vector<Vendor>& vendors) {
  std::vector<std::string_view> words;
  for (const Vendor vendor : vendors) words.push_back(name_of(vendor));
  return words;
}

void put_options(Json& request, const RecommendOptions& options, Task task) {
  const OfferFilter& filter = options.filter;
  put_list(request, "gpu", filter.gpus);
  put_list(request, "gpu_memory_gb", filter.memory_sizes_gb);
  put_range(request, "vram_gb", filter.vram_gb);
  put_range(request, "gpu_count", filter.gpu_count);
  put_list(request, "vendor", vendor_words(filter.vendors));
  put_list(request, "arch", filter.architectures);
  put_list(request, "provider", filter.providers);
  put_list(request, "exclude_provider", filter.excluded_providers);
  put_list(request, "region", filter.regions);
  request["pricing"] = entry(ranked_pricing(filter, task),
                             filter.pricing.empty() ? Origin::automatic : Origin::flag);
  put_list(request, "tier", filter.tiers);
  const auto put_number = [&](const char* key, const auto& value, auto number) {
    if (value) request[key] = entry(number(*value), Origin::flag);
  };
  const auto capability = [](const ComputeCapability& c) {
    return Json(std::to_string(c.major) + "." + std::to_string(c.minor));
  };
  put_number("min_compute_capability", filter.min_compute_capability, capability);
  put_number("max_compute_capability", filter.max_compute_capability, capability);
  put_number("max_hourly_usd", filter.max_hourly, [](UsdPerHour v) { return Json(v.count()); });
  put_number("budget_usd", filter.budget, [](Usd v) { return Json(v.count()); });
  put_number("deadline_hours", filter.deadline, [](Seconds v) { return Json(in_hours(v)); });
  put_number("min_reliability", filter.min_reliability, [](int v) { return Json(v); });
  put_number("max_age_days", filter.max_age_days, [](int v) { return Json(v); });
}

void put_inference(Json& request, const Workload& workload) {
  const InferenceWorkload& inference = *workload.inference;
  request["precision"] = entry(name_of(inference.precision.value), inference.precision.origin);
  request["runtime"] = entry(inference.runtime.value, inference.runtime.origin);
  request["offload"] = entry(inference.offload.value, inference.offload.origin);
  const auto put_length = [&](const char* key, Variable variable, Origin origin) {
    if (inference.lengths[variable] > 0)
      request[key] = entry(whole_or_real(inference.lengths[variable]), origin);
  };
  const auto origin = [](const auto& asked) {
    return asked ? asked->origin : Origin::model_default;
  };
  put_length("reference_s", Variable::reference_seconds, origin(workload.asked.reference));
  put_length("context_tokens", Variable::context_tokens, origin(workload.asked.context));
  request["output_s"] =
      entry(whole_or_real(inference.output.value.count()), inference.output.origin);
  if (workload.task == Task::batch) {
    request["volume_s"] =
        entry(whole_or_real(inference.volume.value.count()), inference.volume.origin);
    return;
  }
  request["streams"] = entry(inference.streams.value, inference.streams.origin);
  request["duty"] = entry(inference.duty.value, inference.duty.origin);
  request["max_rtf"] = entry(inference.max_rtf.value, inference.max_rtf.origin);
  request["hours_per_day"] =
      entry(whole_or_real(inference.hours_per_day.value), inference.hours_per_day.origin);
  if (inference.latency)
    request["latency_ms"] =
        entry(inference.latency->value.count() * 1000, inference.latency->origin);
}

}  // namespace

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::flag:
      return "flag";
    case Origin::workload:
      return "workload";
    case Origin::model_default:
      return "model-default";
    case Origin::automatic:
      return "auto";
  }
  return "?";
}

Json request_json(const Workload& workload, const GroupPlan* best,
                  const RecommendOptions* options) {
  const WorkloadRequest& asked = workload.asked;
  Json request = Json::object();
  request["task"] = entry(name_of(workload.task), asked.task.origin);
  request["model"] = entry(workload.model().id, asked.model.origin);
  request["variant"] =
      entry(workload.variant().id,
            workload.choice.variant_named ? asked.model.origin : Origin::model_default);
  if (asked.stage) request["stage"] = entry(asked.stage->value, asked.stage->origin);
  if (is_training(workload.task)) {
    put_training(request, workload, best);
    if (best == nullptr) put_asked(request, asked);
  } else {
    put_inference(request, workload);
  }
  request["os"] = entry(asked.os.value == HostOs::windows ? "windows" : "linux", asked.os.origin);
  request["reserve_gib"] = entry(rounded(in_gib(asked.reserve.value), 3), asked.reserve.origin);
  request["headroom"] = entry(asked.headroom.value, asked.headroom.origin);
  request["commercial"] = entry(asked.commercial.value, asked.commercial.origin);
  if (options != nullptr) put_options(request, *options, workload.task);
  return request;
}

}  // namespace vcgpu
