#include <algorithm>
#include <cmath>

#include "report/answer.hpp"
#include "report/calibration_report.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

Json range_json(const OpenRange& range) {
  return {{"low", whole_or_real(*range.low)}, {"high", whole_or_real(*range.high)}};
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& warning : warnings)
    list.push_back({{"code", warning.code}, {"message", warning.message}});
  return list;
}

Json term_json(const Term& term, const Lengths& lengths) {
  double bytes = term.bytes;
  Json per = Json::array();
  for (const Variable variable : term.per) {
    bytes *= lengths[variable];
    per.push_back(name_of(variable));
  }
  return {{"name", term.name},
          {"bytes", whole_or_real(term.bytes)},
          {"per", std::move(per)},
          {"largest_row_gib", rounded(bytes / gib(1).count(), 4)}};
}

Json row_json(const CalibratedRow& row) {
  const Measurement& measured = *row.measurement;
  return {{"line", measured.line},
          {"batch", whole_or_real(measured.batch)},
          {"clip_s", whole_or_real(measured.clip.count())},
          {"kind", name_of(measured.kind)},
          {"peak_gib", rounded(in_gib(measured.peak), 4)},
          {"live_gib", rounded(in_gib(row.live), 4)},
          {"fitted_gib", rounded(in_gib(row.fitted), 4)},
          {"residual_percent", rounded(100 * row.residual, 3)},
          {"set_by_optimizer", row.set_by_optimizer}};
}

Json profile_json(const CalibratedProfile& fitted, const CalibrationReport& report) {
  const MemoryProfile& profile = fitted.profile;
  const CalibratedRow& largest = fitted.largest();
  const MemoryEstimate estimate = estimate_of(largest, report);
  Json precisions = Json::array();
  for (const Precision precision : profile.precisions) precisions.push_back(name_of(precision));
  Json terms = Json::array();
  Lengths lengths = largest.workload.lengths;
  lengths[Variable::batch] = largest.plan.batch;
  if (largest.workload.stage->batch_unit == BatchUnit::frames)
    lengths[Variable::frames] = std::max(largest.plan.batch, lengths[Variable::clip_frames]);
  const Phase& phase = shown_phase(fitted, report);
  for (const Term& term : phase.terms) terms.push_back(term_json(term, lengths));
  Json rows = Json::array();
  for (const CalibratedRow& row : fitted.rows) rows.push_back(row_json(row));
  Json components = Json::array();
  for (const MemoryComponent& component : estimate.components)
    components.push_back({{"name", component.name},
                          {"gib", rounded(in_gib(component.bytes), 4)},
                          {"basis", name_of(component.basis)}});
  Json replaces = nullptr;
  if (fitted.replaces) {
    const MemoryProfile& old = report.before->training.profiles[*fitted.replaces];
    replaces = {{"basis", name_of(old.basis)},
                {"points", old.points ? Json(*old.points) : Json(nullptr)},
                {"source", old.source}};
  }
  return {
      {"stage", report.calibration->stage.id},
      {"precision", std::move(precisions)},
      {"attention", profile.attention ? Json(name_of(*profile.attention)) : Json(nullptr)},
      {"checkpointing", profile.checkpointing},
      {"method", name_of(profile.method)},
      {"basis", name_of(profile.basis)},
      {"points", *profile.points},
      {"replaces", std::move(replaces)},
      {"shape", fitted.shaped_by_catalog ? "catalog" : "plain"},
      {"phase", phase.name},
      {"terms", std::move(terms)},
      {"degrees_of_freedom", fitted.degrees_of_freedom},
      {"standard_error_percent", rounded(100 * fitted.standard_error, 3)},
      {"largest_residual_percent", rounded(100 * fitted.largest_residual(), 3)},
      {"spread", *profile.spread},
      {"range_percent", rounded(100 * std::expm1(percentile_95_z * *profile.spread), 2)},
      {"measured", {{"batch", range_json(fitted.batch)}, {"clip_s", range_json(fitted.clip_s)}}},
      {"rows", std::move(rows)},
      {"largest_row",
       {{"batch", whole_or_real(largest.plan.batch)},
        {"clip_s", whole_or_real(largest.measurement->clip.count())},
        {"allocated_gib", gib_range(estimate.allocated)},
        {"peak_gib", gib_range(estimate.device)},
        {"components", std::move(components)}}},
      {"warnings", warnings_json(fitted.warnings)}};
}

Json speed_json(const SpeedReference& speed) {
  return {{"gpu", speed.gpu},
          {"precision", name_of(speed.precision)},
          {"batch", whole_or_real(speed.batch)},
          {"clip_s", whole_or_real(speed.mean_clip.count())},
          {"passes_per_s", rounded(speed.steps_per_s, 4)}};
}

}  // namespace

MemoryEstimate estimate_of(const CalibratedRow& row, const CalibrationReport& report) {
  StageWorkload workload = row.workload;
  workload.stage = &report.calibration->stage;
  return estimate_memory(workload, row.plan, report.catalog->assumptions());
}

const Phase& shown_phase(const CalibratedProfile& fitted, const CalibrationReport& report) {
  const std::string name = estimate_of(fitted.largest(), report).peak_phase;
  const std::vector<Phase>& phases = fitted.profile.phases;
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const Phase& phase) { return phase.name == name; });
  return found == phases.end() ? phases.front() : *found;
}

Json calibration_document(const CalibrationReport& report) {
  Json document = document_head("calibrate", report.catalog->info());
  document["model"] = {{"id", report.model},
                       {"variant", report.variant},
                       {"kind", report.overrides ? "override" : "own"}};
  document["measurements"] = report.file;
  Json results = Json::array();
  for (const CalibratedProfile& profile : report.calibration->profiles)
    results.push_back(profile_json(profile, report));
  document["total"] = results.size();
  document["results"] = std::move(results);
  Json speeds = Json::array();
  for (const SpeedReference& speed : report.speeds) speeds.push_back(speed_json(speed));
  document["speeds"] = std::move(speeds);
  document["entry"] = report.entry;
  document["written"] = report.written ? Json(report.written->string()) : Json(nullptr);
  document["next"] = report.next;
  document["warnings"] = warnings_json(report.warnings);
  return document;
}

std::string overlay_text(const Json& overlay) {
  return overlay.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RecordShape calibration_shape() {
  return {.columns = {"stage", "precision", "attention", "checkpointing", "method", "points",
                      "largest_residual_percent", "standard_error_percent", "spread",
                      "measured.batch.low", "measured.batch.high", "measured.clip_s.low",
                      "measured.clip_s.high"},
          .name_columns = {"stage"},
          .keys = {}};
}

}  // namespace vcgpu
