#include "report/fit_json.hpp"

#include <algorithm>

#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json seconds_or_null(const std::optional<Seconds>& time) {
  return time ? whole_or_real(rounded(time->count(), 3)) : Json(nullptr);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? whole_or_real(*value) : Json(nullptr);
}

const Stage& stage_named(const GpuFit& fit, const std::string& id) {
  return *std::find_if(fit.workload.stages.begin(), fit.workload.stages.end(),
                       [&](const StageWorkload& stage) { return stage.stage->id == id; })
              ->stage;
}

Json plan_json(const GpuFit& fit, const StageFit& stage, const Rung& rung) {
  if (rung.training) {
    Json json = settings_json(stage_named(fit, stage.stage), *rung.training);
    json["max_clip_s"] = seconds_or_null(rung.longest);
    return json;
  }
  return {{"precision", name_of(rung.serving->precision)},
          {"offload", rung.serving->offload},
          {"streams_per_gpu", rung.serving->streams_per_gpu},
          {"gpus", rung.serving->gpus},
          {"output_s", seconds_or_null(rung.longest)},
          {"context_tokens", number_or_null(rung.context_tokens)},
          {"reference_s", seconds_or_null(rung.reference)}};
}

Json rung_json(const GpuFit& fit, const StageFit& stage, std::size_t at) {
  const Rung& rung = stage.ladder[at];
  return {{"stage", stage.stage},
          {"lever", rung.lever},
          {"name", rung.name},
          {"recommended", stage.recommended == at},
          {"more_room", rung.more_room},
          {"not_needed", rung.not_needed},
          {"plan", plan_json(fit, stage, rung)},
          {"peak_gib", gib_range(rung.device)},
          {"needed_gib", rounded(in_gib(rung.needed), 3)},
          {"verdict", name_of(rung.fit.verdict)},
          {"oom_probability", rounded(rung.fit.oom_probability, 4)},
          {"time_factor", rung.time_factor ? Json(rounded(*rung.time_factor, 3)) : Json(nullptr)},
          {"hours", rung.time ? hours_range(*rung.time) : Json(nullptr)},
          {"quality_cost", name_of(rung.cost)},
          {"quality", rung.quality}};
}

Json limits_json(const StageFit& stage) {
  const Rung* chosen = stage.chosen();
  const bool trains = chosen != nullptr && chosen->training;
  return {{"stage", stage.stage},
          {"batch_unit", name_of(stage.batch_unit)},
          {"batch_size", trains ? whole_or_real(chosen->training->batch) : Json(nullptr)},
          {"max_clip_s", trains ? seconds_or_null(chosen->longest) : Json(nullptr)},
          {"largest_batch", number_or_null(stage.largest_batch)},
          {"longest_clip_s", seconds_or_null(stage.longest_clip)},
          {"cap_clip_s", seconds_or_null(stage.cap_clip)}};
}

Json hardware_json(const std::optional<OtherHardware>& other) {
  if (!other) return nullptr;
  return {{"id", other->gpu->id},
          {"name", other->gpu->name},
          {"count", other->count},
          {"usable_vram_gib", rounded(in_gib(other->usable), 3)},
          {"peak_gib", gib_range(other->device)},
          {"with_recipe", other->by_recipe}};
}

// The shortest of the stages', whose clips are the same.
std::optional<Seconds> longest_clip(const GpuFit& fit) {
  std::optional<Seconds> shortest;
  for (const StageFit& stage : fit.stages) {
    if (!stage.longest_clip) return std::nullopt;
    shortest = shortest ? std::min(*shortest, *stage.longest_clip) : *stage.longest_clip;
  }
  return shortest;
}

void add_fit(Json& result, const GpuFit& fit) {
  Json ladder = Json::array();
  Json missing = Json::array();
  Json fixed = Json::array();
  Json limits = Json::array();
  Json settings = Json::array();
  Json grid = Json::array();
  for (const StageFit& stage : fit.stages) {
    for (std::size_t at = 0; at < stage.ladder.size(); ++at)
      ladder.push_back(rung_json(fit, stage, at));
    for (const MissingLever& lever : stage.missing)
      missing.push_back({{"stage", stage.stage}, {"lever", lever.lever}, {"why", lever.why}});
    for (const FixedSetting& setting : stage.fixed)
      fixed.push_back({{"stage", stage.stage},
                       {"flag", setting.flag},
                       {"fits_without", or_null(setting.without)}});
    if (!fit.workload.inference) limits.push_back(limits_json(stage));
    for (const ConfigSetting& setting : stage.settings)
      settings.push_back({{"stage", stage.stage},
                          {"setting", setting.setting},
                          {"key", or_null(setting.key)},
                          {"value", setting.value},
                          {"file", or_null(setting.file)},
                          {"note", or_null(setting.note)}});
    for (const GridCell& cell : stage.grid)
      grid.push_back({{"stage", stage.stage},
                      {"clip_s", whole_or_real(cell.clip.count())},
                      {"batch_size", whole_or_real(cell.batch)},
                      {"peak_gib", rounded(in_gib(cell.expected), 3)},
                      {"verdict", name_of(cell.verdict)}});
  }
  result["solved"] = fit.solved();
  result["ladder"] = std::move(ladder);
  result["not_available"] = std::move(missing);
  result["fixed"] = std::move(fixed);
  result["largest_batch"] = number_or_null(fit.peak_stage().largest_batch);
  result["longest_clip_s"] = seconds_or_null(longest_clip(fit));
  result["limits"] = std::move(limits);
  result["settings"] = std::move(settings);
  result["grid"] = std::move(grid);
  result["another_card"] = hardware_json(fit.another_card);
  result["more_gpus"] = hardware_json(fit.more_gpus);
  result["note"] = or_null(fit.note);
}

}  // namespace

Json fit_document(const Answer& answer, const FitAnswer& fit) {
  Json document = answer_document(answer);
  const std::vector<Candidate>& candidates = answer.recommendation->candidates;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    add_fit(document["results"][i], fit.of(candidates[i]));
  return document;
}

}  // namespace vcgpu
