#include "vcgpu/accuracy.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

EvidenceReport report_of(const std::string& model, Task task, const std::string& gpu,
                         Outcome outcome) {
  EvidenceReport report;
  report.id = model;
  report.model = model;
  report.task = task;
  report.gpu = gpu;
  report.outcome = outcome;
  report.judges_verdict = true;
  report.source = report.thread = "a thread";
  return report;
}

Judgement judged(const EvidenceReport& report) {
  static std::vector<std::unique_ptr<std::vector<EvidenceReport>>> kept;
  kept.push_back(std::make_unique<std::vector<EvidenceReport>>(1, report));
  return judge_evidence(*kept.back(), embedded_catalog()).at(0);
}

std::vector<Judgement> shipped(EvidenceHalf half) {
  static const std::vector<EvidenceReport> reports = embedded_evidence();
  std::vector<Judgement> chosen;
  for (Judgement& judgement : judge_evidence(reports, embedded_catalog())) {
    if (judgement.half == half) chosen.push_back(std::move(judgement));
  }
  return chosen;
}

}  // namespace

TEST_CASE("a run that failed and was called does-not-fit is no mistake") {
  EvidenceReport report = report_of("xtts", Task::finetune, "rtx-3060-12gb", Outcome::oom);
  report.batch = 3;  // coqui-ai/TTS#3268
  const Judgement judgement = judged(report);
  REQUIRE(judgement.fit);
  CHECK(judgement.fit->verdict == Verdict::does_not_fit);
  CHECK(judgement.failed());
  CHECK_FALSE(judgement.missed_oom());
  CHECK_FALSE(judgement.false_alarm());
}

TEST_CASE("a run that failed and was called fits is a missed out-of-memory") {
  const Judgement judgement = judged(report_of("rvc", Task::train, "h100-sxm-80gb", Outcome::oom));
  CHECK(judgement.missed_oom());
}

TEST_CASE("a run that spilled failed") {
  EvidenceReport report = report_of("rvc", Task::train, "rtx-3080-10gb", Outcome::spill);
  report.batch = 40;  // RVC-Project/Retrieval-based-Voice-Conversion-WebUI#840
  report.os = HostOs::windows;
  const Judgement judgement = judged(report);
  CHECK(judgement.failed());
  CHECK(judgement.fit->verdict == Verdict::does_not_fit);
}

TEST_CASE("a run that worked and was called does-not-fit is a false alarm") {
  EvidenceReport report = report_of("xtts", Task::finetune, "gtx-1660-6gb", Outcome::ok);
  CHECK(judged(report).false_alarm());
}

TEST_CASE("a reading is compared with what the tool that was read counts") {
  // erew123/alltalk_tts#241: 10.9 GB at batch 1 with 20 s clips
  EvidenceReport report = report_of("xtts", Task::finetune, "rtx-3060-12gb", Outcome::ok);
  report.batch = 1;
  report.grad_accum = 16;
  report.judges_peak = true;
  report.peak_gb = 10.9;
  const double on_card = in_gib(judged(report).predicted.expected);
  CHECK(on_card == Approx(10.9).epsilon(0.05));
  report.peak_kind = PeakKind::allocated;
  const double allocated = in_gib(judged(report).predicted.expected);
  CHECK(allocated < on_card - 0.4);  // the CUDA context at least
  report.peak_kind = PeakKind::reserved;
  const double reserved = in_gib(judged(report).predicted.expected);
  CHECK(reserved > allocated);
  CHECK(reserved < on_card);
}

TEST_CASE("an upper bound is contradicted by more alone") {
  EvidenceReport report = report_of("rvc", Task::realtime, "rtx-3060-12gb", Outcome::peak);
  report.judges_verdict = false;
  report.judges_peak = true;
  report.peak_is_bound = true;
  report.peak_gb = 11;
  CHECK(judged(report).error == 0.0);
  report.peak_gb = 0.1;
  CHECK(*judged(report).error > 1);
}

TEST_CASE("a report that cannot be run through the estimate says why") {
  EvidenceReport report = report_of("no-such-model", Task::train, "rtx-3060-12gb", Outcome::ok);
  CHECK(judged(report).not_judged == "unknown model 'no-such-model'");
  CHECK_FALSE(judged(report).fit);
  report = report_of("rvc", Task::train, "rtx-3060-12gb", Outcome::ok);
  report.gpus = 0;
  CHECK(judged(report).not_judged == "ran without a GPU");
  report = report_of("index-tts", Task::batch, "rtx-4090-24gb", Outcome::ok);
  report.runtime = "deepspeed";
  CHECK(judged(report).not_judged == "the memory of index-tts@2 on deepspeed is not known");
}

TEST_CASE("a score counts mistakes, tight calls and errors") {
  EvidenceReport missed = report_of("rvc", Task::train, "h100-sxm-80gb", Outcome::oom);
  EvidenceReport alarm = report_of("xtts", Task::finetune, "gtx-1660-6gb", Outcome::ok);
  EvidenceReport peak = report_of("rvc", Task::train, "rtx-4090-24gb", Outcome::ok);
  peak.judges_peak = true;
  peak.peak_gb = 1000;
  peak.thread = "another";
  const std::vector<EvidenceReport> reports{missed, alarm, peak};
  const AccuracyScore result = score(judge_evidence(reports, embedded_catalog()));
  CHECK(result.reports == 3);
  CHECK(result.threads == 2);
  CHECK(result.judged_failed == 1);
  CHECK(result.judged_worked == 2);
  CHECK(result.missed_ooms == 1);
  CHECK(result.false_alarms == 1);
  CHECK(result.peaks == 1);
  CHECK(*result.median_error > 0.9);
  CHECK(result.inside_range == 0.0);
  CHECK(*result.median_waste < 0);
}

TEST_CASE("no score of no reports") {
  const AccuracyScore none = score({});
  CHECK(none.reports == 0);
  CHECK_FALSE(none.median_error);
  CHECK_FALSE(none.median_waste);
}

// The half that nothing was fitted to. Numbers are those of docs/accuracy.md; a
// change for the worse has to be looked at.
TEST_CASE("held-out reports are judged as well as docs/accuracy.md says") {
  const AccuracyScore result = score(shipped(EvidenceHalf::testing));
  CHECK(result.reports >= 100);
  CHECK(result.missed_ooms <= 1);  // of 24: SWivid/F5-TTS#30
  CHECK(static_cast<double>(result.false_alarms) <=
        0.10 * static_cast<double>(result.judged_worked));
  CHECK(static_cast<double>(result.tight) <= 0.20 * static_cast<double>(result.verdicts()));
}

TEST_CASE("reports of both halves are judged wherever their model is known") {
  std::size_t not_judged = 0;
  for (const EvidenceHalf half : {EvidenceHalf::testing, EvidenceHalf::fitting}) {
    for (const Judgement& judgement : shipped(half)) {
      CAPTURE(judgement.report->id, judgement.not_judged);
      if (!judgement.not_judged.empty()) ++not_judged;
      if (judgement.fit) CHECK(judgement.usable > Bytes(0));
      if (judgement.error) CHECK(std::isfinite(*judgement.error));
    }
  }
  CHECK(not_judged <= 4);
}
