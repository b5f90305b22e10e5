#include "report/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/request.hpp"
#include "vcgpu/names.hpp"
#include "vcgpu/version.hpp"

namespace vcgpu {

namespace {

constexpr int document_schema_version = 1;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json number_range(const Range<double>& value, int decimals) {
  return {{"low", rounded(value.low, decimals)},
          {"expected", rounded(value.expected, decimals)},
          {"high", rounded(value.high, decimals)}};
}

// The card's whole memory as its driver counts it. What the box calls GB are
// GiB on GPUs, so that number stands in where the driver's is not known.
double total_vram_gib(const Gpu& gpu) {
  const double total = gpu.nvidia_smi_mib ? *gpu.nvidia_smi_mib / 1024 : gpu.memory_gb;
  return std::max(total, gpu.usable_gib);  // older drivers left out their reserve
}

Json gpu_json(const GroupPlan& plan) {
  const Gpu& gpu = *plan.group.gpu;
  if (gpu.id == no_gpu_id) return nullptr;
  return {{"id", gpu.id},
          {"name", gpu.name},
          {"count", whole_or_real(plan.group.count)},
          {"vram_gib", rounded(total_vram_gib(gpu), 3)},
          {"vram_gb", whole_or_real(gpu.memory_gb)},
          {"usable_vram_gib", rounded(in_gib(plan.usable), 3)},
          {"interconnect", name_of(plan.group.interconnect)}};
}

Json offer_json(const Candidate& candidate) {
  if (candidate.offer == nullptr) return nullptr;
  const Offer& offer = *candidate.offer;
  return {{"provider", candidate.provider->id},
          {"provider_name", candidate.provider->name},
          {"instance", offer.sku},
          {"instances", whole_or_real(candidate.instances)},
          {"region", offer.regions.empty() ? Json(nullptr) : Json(offer.regions.front())},
          {"regions", offer.regions},
          {"pricing", offer.pricing},
          {"tier", offer.tier},
          {"usd_per_hour", rounded(offer.usd_per_hour.count(), 5)},
          {"vcpus", or_null(offer.vcpus)},
          {"ram_gib", or_null(offer.ram_gib)},
          {"reliability", or_null(candidate.provider->reliability)},
          {"as_of", offer.as_of},
          {"age_days", candidate.price_age_days},
          {"source", offer.source},
          {"origin", "catalog"}};
}

Json stage_plan_json(const PlannedStage& stage) {
  Json json{{"stage", stage.workload->stage->id}};
  json.update(settings_json(*stage.workload->stage, stage.plan));
  json["peak_gib"] = gib_range(stage.device);
  json["oom_probability"] = rounded(stage.fit.oom_probability, 4);
  return json;
}

// The plan of the stage that needs most memory, and all of them in `stages`.
Json plan_json(const GroupPlan& plan) {
  if (plan.inference)
    return {{"precision", name_of(plan.inference->precision)},
            {"batch_size", nullptr},
            {"batch_unit", nullptr},
            {"grad_accum", nullptr},
            {"grad_checkpoint", nullptr},
            {"lora_rank", nullptr},
            {"optimizer", nullptr},
            {"offload", plan.inference->offload},
            {"streams_per_gpu", plan.inference->streams_per_gpu},
            {"gpus", plan.inference->gpus}};
  Json json = stage_plan_json(plan.stages.at(plan.peak_stage));
  json.erase("peak_gib");
  json.erase("oom_probability");
  json["streams_per_gpu"] = nullptr;
  json["stages"] = Json::array();
  for (const PlannedStage& stage : plan.stages) json["stages"].push_back(stage_plan_json(stage));
  return json;
}

Json memory_json(const Workload& workload, const GroupPlan& plan, const Assumptions& assumptions) {
  const MemoryEstimate memory = memory_of(workload, plan, plan.peak_stage, assumptions);
  Json components = Json::array();
  for (const MemoryComponent& component : memory.components)
    components.push_back({{"name", component.name},
                          {"gib", rounded(in_gib(component.bytes), 4)},
                          {"basis", name_of(component.basis)}});
  const bool no_gpu = plan.group.gpu->id == no_gpu_id;
  const Range<Bytes> shown =
      no_gpu ? memory.reading : on_its_card(memory.reading, memory.device, plan.usable);
  return {
      {"peak_gib", gib_range(memory.device)},
      {"reading_gib", gib_range(shown)},
      {"allocated_gib", gib_range(memory.allocated)},
      {"headroom_gib",
       no_gpu ? Json(nullptr) : Json(rounded(in_gib(plan.usable - memory.device.expected), 3))},
      {"basis", name_of(memory.basis)},
      {"components", std::move(components)},
      {"peak_stage",
       plan.inference ? "inference" : plan.stages.at(plan.peak_stage).workload->stage->id},
      {"peak_phase", memory.peak_phase},
      {"reservation_gib", memory.reservation_share && !no_gpu
                              ? Json(rounded(in_gib(plan.usable * *memory.reservation_share), 3))
                              : Json(nullptr)}};
}

Json duration_json(const Candidate& candidate) {
  if (!candidate.wall) return nullptr;
  Json stages = Json::array();
  for (const StageDuration& stage : candidate.plan->durations)
    stages.push_back({{"stage", stage.stage},
                      {"hours", hours_range(stage.time)},
                      {"passes", whole_or_real(stage.passes)},
                      {"basis", name_of(stage.basis)}});
  return {{"hours", hours_range(*candidate.wall)},
          {"stages", std::move(stages)},
          {"basis", name_of(candidate.plan->time_basis)}};
}

Json inference_json(const GroupPlan& plan) {
  if (!plan.inference || !plan.speed) return nullptr;
  return {
      {"rtf", number_range(plan.speed->rtf, 4)},
      {"first_audio_ms",
       plan.speed->first_audio_ms ? number_range(*plan.speed->first_audio_ms, 0) : Json(nullptr)},
      {"streams_per_gpu", plan.inference->streams_per_gpu},
      {"audio_hours_per_gpu_hour", rounded(1 / plan.speed->rtf.expected, 2)},
      {"basis", name_of(plan.speed->basis)},
      {"source", plan.speed->source}};
}

Json cost_json(const Candidate& candidate) {
  if (!candidate.cost) return nullptr;
  const Cost& cost = *candidate.cost;
  Json lines = Json::array();
  for (const CostLine& line : cost.lines)
    lines.push_back({{"name", line.name},
                     {"quantity", rounded(line.quantity, 4)},
                     {"unit", line.unit},
                     {"unit_price_usd", rounded(line.unit_price_usd, 5)},
                     {"usd", rounded(line.usd.count(), 2)}});
  Json json{
      {"total_usd", number_range(cost.total.map([](Usd usd) { return usd.count(); }), 2)},
      {"usd_per_audio_hour",
       cost.per_audio_hour ? Json(rounded(cost.per_audio_hour->count(), 4)) : Json(nullptr)},
      {"usd_per_month", cost.per_month ? Json(rounded(cost.per_month->count(), 2)) : Json(nullptr)},
      {"lines", std::move(lines)},
      {"notes", cost.notes}};
  return json;
}

Json candidate_json(const Answer& answer, const Candidate& candidate) {
  const GroupPlan& plan = *candidate.plan;
  const bool no_gpu = plan.group.gpu->id == no_gpu_id;
  Json reasons = Json::array();
  for (const Reason& reason : candidate.reasons)
    reasons.push_back(
        {{"rule", reason.rule}, {"effect", reason.effect}, {"message", reason.message}});
  Json shares = Json::array();
  for (const ScoreShare& share : candidate.shares)
    shares.push_back(
        {{"factor", share.factor}, {"weight", share.weight}, {"value", rounded(share.value, 4)}});
  return {{"rank", candidate.rank > 0 ? Json(candidate.rank) : Json(nullptr)},
          {"score", candidate.offer != nullptr ? Json(rounded(candidate.score, 4)) : Json(nullptr)},
          {"score_shares", std::move(shares)},
          {"gpu", gpu_json(plan)},
          {"offer", offer_json(candidate)},
          {"plan", plan_json(plan)},
          {"verdict", no_gpu ? Json(nullptr) : Json(name_of(plan.fit.verdict))},
          {"oom_probability", no_gpu ? Json(nullptr) : Json(rounded(plan.fit.oom_probability, 4))},
          {"memory", memory_json(*answer.workload, plan, answer.catalog->assumptions())},
          {"duration", duration_json(candidate)},
          {"inference", inference_json(plan)},
          {"cost", cost_json(candidate)},
          {"pareto", candidate.pareto},
          {"nearest_fix", plan.obstacle ? or_null(plan.obstacle->nearest_fix) : Json(nullptr)},
          {"reasons", std::move(reasons)}};
}

Json rejection_json(const Rejection& rejection) {
  const bool offered = rejection.offer != nullptr;
  const GpuGroup* group = rejection.plan != nullptr ? &rejection.plan->group : nullptr;
  Json json;
  json["gpu"] =
      group != nullptr ? Json{{"id", group->gpu->id}, {"count", whole_or_real(group->count)}}
      : offered
          ? Json{{"id", rejection.offer->gpu}, {"count", whole_or_real(rejection.offer->gpu_count)}}
          : Json(nullptr);
  json["offer"] = offered
                      ? Json{{"provider", rejection.provider->id},
                             {"instance", rejection.offer->sku},
                             {"pricing", rejection.offer->pricing},
                             {"usd_per_hour", rounded(rejection.offer->usd_per_hour.count(), 5)}}
                      : Json(nullptr);
  json["offers"] = rejection.offers;
  json["reason_code"] = rejection.code;
  json["message"] = rejection.message;
  json["nearest_fix"] = or_null(rejection.nearest_fix);
  return json;
}

}  // namespace

Json gib_range(const Range<Bytes>& bytes) {
  return {{"low", rounded(in_gib(bytes.low), 3)},
          {"expected", rounded(in_gib(bytes.expected), 3)},
          {"high", rounded(in_gib(bytes.high), 3)}};
}

Json hours_range(const Range<Seconds>& time) {
  return {{"low", rounded(in_hours(time.low), 4)},
          {"expected", rounded(in_hours(time.expected), 4)},
          {"high", rounded(in_hours(time.high), 4)}};
}

Json settings_json(const Stage& stage, const StagePlan& plan) {
  return {{"precision", name_of(plan.precision)},
          {"batch_size", whole_or_real(plan.batch)},
          {"batch_unit", name_of(stage.batch_unit)},
          {"grad_accum", plan.grad_accum},
          {"effective_batch", whole_or_real(plan.effective_batch())},
          {"grad_checkpoint", plan.checkpointing},
          {"lora_rank", plan.method == Method::lora ? Json(plan.lora_rank) : Json(nullptr)},
          {"optimizer", plan.optimizer->id},
          {"attention", plan.attention ? Json(name_of(*plan.attention)) : Json(nullptr)},
          {"ema", stage.training.ema_bytes ? Json(plan.ema) : Json(nullptr)},
          {"sharding", name_of(plan.sharding)},
          {"gpus", plan.gpus}};
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

Json whole_or_real(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

Json document_head(const std::string& command, const CatalogInfo& catalog) {
  return {{"schema_version", document_schema_version},
          {"tool_version", version},
          {"command", command},
          {"catalog",
           {{"version", catalog.version},
            {"as_of", catalog.as_of},
            {"sha256", catalog.sha256},
            {"origin", catalog.origin}}}};
}

Json answer_document(const Answer& answer) {
  const Recommendation& recommendation = *answer.recommendation;
  Json document = document_head(answer.command, answer.catalog->info());
  const GroupPlan* best =
      recommendation.candidates.empty() ? nullptr : recommendation.candidates.front().plan;
  document["request"] = request_json(*answer.workload, best, answer.options);
  Json results = Json::array();
  for (const Candidate& candidate : recommendation.candidates)
    results.push_back(candidate_json(answer, candidate));
  document["results"] = std::move(results);
  document["total"] = recommendation.rows;
  if (!recommendation.alternatives.empty()) {
    Json alternatives = Json::array();
    for (const Alternative& alternative : recommendation.alternatives)
      alternatives.push_back(
          {{"axis", alternative.axis}, {"result", candidate_json(answer, alternative.candidate)}});
    document["alternatives"] = std::move(alternatives);
  }
  // Where nothing is left, what the filters took is the reason.
  const bool nothing = recommendation.candidates.empty();
  Json rejected = Json::array();
  std::size_t filtered = 0;
  for (const Rejection& rejection : recommendation.rejections) {
    if (rejection.filtered) filtered += rejection.offers;
    if (!rejection.filtered || answer.show_rejected || nothing)
      rejected.push_back(rejection_json(rejection));
  }
  document["rejected"] = std::move(rejected);
  document["filtered_offers"] = filtered;
  document["considered_offers"] = recommendation.considered;
  Json warnings = Json::array();
  for (const auto* list : {&answer.workload->warnings, &recommendation.warnings}) {
    for (const Warning& warning : *list)
      warnings.push_back({{"code", warning.code}, {"message", warning.message}});
  }
  document["warnings"] = std::move(warnings);
  return document;
}

}  // namespace vcgpu
