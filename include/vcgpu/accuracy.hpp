// The back-test: what the estimator says of runs that people reported.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vcgpu/estimate.hpp"
#include "vcgpu/evidence.hpp"

namespace vcgpu {

// What the estimator says of one report, run with the settings it states and
// the project's defaults for the rest.
struct Judgement {
  const EvidenceReport* report = nullptr;
  EvidenceHalf half{};
  std::string model;  // catalog id
  std::optional<Fit> fit;
  Range<Bytes> predicted;              // of the same kind as the reading
  Bytes usable;                        // 0 where no card is known
  std::optional<Bytes> measured;       // of a peak
  std::optional<double> error;         // predicted / measured - 1
  std::string not_judged;              // why; empty: judged
  [[nodiscard]] bool failed() const {  // ran out of memory, or spilled
    return report->outcome == Outcome::oom || report->outcome == Outcome::spill;
  }
  // The mistakes that cost users: called `fits` and failed, called
  // `does-not-fit` and worked.
  [[nodiscard]] bool missed_oom() const { return fit && failed() && fit->verdict == Verdict::fits; }
  [[nodiscard]] bool false_alarm() const {
    return fit && !failed() && fit->verdict == Verdict::does_not_fit;
  }
};

// Figures of peaks weigh each thread once, however many readings it holds.
// Absent where there is none.
struct AccuracyScore {
  std::size_t reports = 0, threads = 0;
  std::size_t judged_failed = 0, judged_worked = 0, peaks = 0;
  std::size_t missed_ooms = 0, false_alarms = 0, tight = 0;
  std::optional<double> median_error, p90_error;  // of |predicted / measured - 1|
  std::optional<double> median_waste;             // high / measured - 1: room paid for, not used
  std::optional<double> inside_range;             // share of peaks between low and high

  [[nodiscard]] std::size_t verdicts() const { return judged_failed + judged_worked; }
};

// Judges every report that is good for a verdict or a peak.
std::vector<Judgement> judge_evidence(std::span<const EvidenceReport> reports,
                                      const Catalog& catalog);

AccuracyScore score(std::span<const Judgement> judgements);
std::map<std::string, AccuracyScore> score_by_model(std::span<const Judgement> judgements);

}  // namespace vcgpu
