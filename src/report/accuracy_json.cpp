#include <algorithm>

#include "report/accuracy.hpp"
#include "report/answer.hpp"

namespace vcgpu {

namespace {

Json share_of(std::size_t part, std::size_t whole) {
  if (whole == 0) return nullptr;
  return rounded(static_cast<double>(part) / static_cast<double>(whole), 4);
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(rounded(*value, 4)) : Json(nullptr);
}

Json score_json(const AccuracyScore& s) {
  return {{"reports", s.reports},
          {"threads", s.threads},
          {"ran_out", s.judged_failed},
          {"worked", s.judged_worked},
          {"missed_ooms", s.missed_ooms},
          {"missed_oom_share", share_of(s.missed_ooms, s.judged_failed)},
          {"false_alarms", s.false_alarms},
          {"false_alarm_share", share_of(s.false_alarms, s.judged_worked)},
          {"tight", s.tight},
          {"tight_share", share_of(s.tight, s.verdicts())},
          {"peaks", s.peaks},
          {"median_error", or_null(s.median_error)},
          {"p90_error", or_null(s.p90_error)},
          {"inside_range_share", or_null(s.inside_range)},
          {"median_waste", or_null(s.median_waste)}};
}

Json gib_of(Bytes bytes) { return rounded(in_gib(bytes), 3); }

Json judgement_json(const Judgement& j) {
  const EvidenceReport& r = *j.report;
  const auto text = [](const std::string& value) {
    return value.empty() ? Json(nullptr) : Json(value);
  };
  return {{"id", r.id},
          {"half", j.half == EvidenceHalf::testing ? "testing" : "fitting"},
          {"model", j.model},
          {"variant", text(r.variant)},
          {"stage", text(r.stage)},
          {"gpu", text(r.gpu)},
          {"outcome", j.failed()                 ? "ran-out"
                      : r.outcome == Outcome::ok ? "worked"
                                                 : "peak"},
          {"verdict", j.fit ? Json(name_of(j.fit->verdict)) : Json(nullptr)},
          {"oom_probability", j.fit ? Json(rounded(j.fit->oom_probability, 4)) : Json(nullptr)},
          {"predicted_gib",
           {{"low", gib_of(j.predicted.low)},
            {"expected", gib_of(j.predicted.expected)},
            {"high", gib_of(j.predicted.high)}}},
          {"usable_gib", j.usable.count() > 0 ? gib_of(j.usable) : Json(nullptr)},
          {"measured_gib", j.measured ? gib_of(*j.measured) : Json(nullptr)},
          {"error", or_null(j.error)},
          {"assumed", r.assumed},
          {"source", r.source},
          {"note", text(r.note)},
          {"finding", text(r.finding)}};
}

}  // namespace

Json accuracy_document(const AccuracyReport& report) {
  Json document = document_head("accuracy", *report.catalog);
  document["evidence"] = report.evidence;
  document["totals"] = {
      {"testing", score_json(score(report.testing))},
      {"fitting", report.fitting.empty() ? Json(nullptr) : score_json(score(report.fitting))}};
  Json results = Json::array();
  for (const auto& [model, model_score] : score_by_model(report.testing)) {
    Json row = {{"model", model}};
    row.update(score_json(model_score));
    if (model_score.reports > 0) results.push_back(std::move(row));
  }
  document["results"] = std::move(results);
  Json judgements = Json::array();
  Json not_judged = Json::array();
  for (const auto& list : {report.testing, report.fitting}) {
    for (const Judgement& judgement : list) {
      if (!judgement.not_judged.empty())
        not_judged.push_back({{"id", judgement.report->id},
                              {"model", judgement.report->model},
                              {"reason", judgement.not_judged},
                              {"source", judgement.report->source}});
      else if (judgement.fit || judgement.error)
        judgements.push_back(judgement_json(judgement));
    }
  }
  document["total"] = document["results"].size();
  document["judgements"] = std::move(judgements);
  document["not_judged"] = std::move(not_judged);
  document["warnings"] = Json::array();
  return document;
}

}  // namespace vcgpu
