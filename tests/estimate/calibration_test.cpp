#include "estimate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "estimate/fixed_parts.hpp"
#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/errors.hpp"
#include "support/random_catalog.hpp"
#include "support/small_catalog.hpp"
#include "vcgpu/names.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

struct Step {
  double batch, clip_s;
};

// Rows as a user would measure them, of a stage that is as the catalog says.
class Bench {
 public:
  Bench(const Stage& stage, const Assumptions& assumptions)
      : m_stage(&stage), m_assumptions(&assumptions) {
    pattern.precision = Precision::fp32;
  }

  Measurement pattern;  // what all rows share

  Bench& measure(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      Measurement row = pattern;
      row.line = rows.size() + 2;
      row.batch = step.batch;
      row.clip = Seconds(step.clip_s);
      row.peak = peak_of(row);
      rows.push_back(row);
    }
    return *this;
  }

  // As torch counts it: with the DDP bucket.
  [[nodiscard]] Bytes peak_of(const Measurement& row) const {
    const CalibratedRow planned = row_of(row, request());
    const MemoryEstimate estimate = estimate_memory(planned.workload, planned.plan, *m_assumptions);
    Bytes bucket;
    for (const MemoryComponent& component : estimate.components) {
      if (component.name == "DDP gradient bucket") bucket = component.bytes;
    }
    const Overhead& overhead = m_assumptions->memory.training.at(m_stage->family);
    const double slack = overhead.slack + overhead.cache;  // a card with room
    switch (row.kind) {
      case PeakCounter::allocated:
        return estimate.allocated.expected + bucket;
      case PeakCounter::reserved:
        return estimate.allocated.expected * (1 + slack) + bucket;
      case PeakCounter::device:
        return estimate.reading.expected;
    }
    return {};
  }

  [[nodiscard]] CalibrationRequest request() const {
    return {.stage = m_stage,
            .recipe = &m_stage->training.recipes.begin()->second,
            .rows = rows,
            .file = "runs.csv",
            .date = "2026-11-30"};
  }
  [[nodiscard]] Calibration calibrated() const { return calibrate(request(), *m_assumptions); }
  [[nodiscard]] Error refusal() const {
    return error_of([&] { return calibrated(); });
  }

  std::vector<Measurement> rows;

 private:
  const Stage* m_stage;
  const Assumptions* m_assumptions;
};

Bench embedded_bench(std::string_view model, std::string_view variant, std::string_view stage) {
  return {embedded_stage(model, variant, stage), embedded_catalog().assumptions()};
}

double bytes_of(const CalibratedProfile& fitted, std::string_view name) {
  for (const Term& term : fitted.profile.phases.front().terms) {
    if (term.name == name) return term.bytes;
  }
  return 0;
}

bool has_warning(const CalibratedProfile& fitted, std::string_view code) {
  return std::any_of(fitted.warnings.begin(), fitted.warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

// 100 million parameters: 0.4 GB of weights, 0.4 of gradients, 0.8 of AdamW.
Stage undescribed_stage() {
  Stage stage = small_stage();
  stage.training.profiles.clear();
  return stage;
}

// Exactly `bytes` on top of weights and optimizer state (1.2 GB), whose
// gradients are gone in the forward pass.
class PlainBench {
 public:
  PlainBench() : m_stage(undescribed_stage()), m_assumptions(small_assumptions()) {
    m_stage.training.gradients_always_resident = false;
  }
  void row(double batch, double clip_s, double bytes, double factor = 1) {
    Measurement row;
    row.line = rows.size() + 2;
    row.precision = Precision::bf16;
    row.batch = batch;
    row.clip = Seconds(clip_s);
    row.peak = Bytes((1.2e9 + bytes) * factor);
    rows.push_back(row);
  }
  [[nodiscard]] Calibration calibrated() const {
    return calibrate({.stage = &m_stage,
                      .recipe = &m_stage.training.recipes.begin()->second,
                      .rows = rows,
                      .file = "runs.csv",
                      .date = "2026-11-30"},
                     m_assumptions);
  }
  [[nodiscard]] Error refusal() const {
    return error_of([&] { return calibrated(); });
  }
  std::vector<Measurement> rows;

 private:
  Stage m_stage;
  Assumptions m_assumptions;
};

}  // namespace

TEST_CASE("three rows of a catalog stage give its terms back") {
  Bench bench = embedded_bench("xtts", "v2", "gpt");
  const Calibration calibration = bench.measure({{4, 6}, {4, 8}, {6, 11}}).calibrated();
  const CalibratedProfile& fitted = calibration.profiles.at(0);
  // data/models.json, xtts gpt, fp32 with eager attention.
  CHECK(bytes_of(fitted, "GPT layers, linear in positions") == Approx(3515763).epsilon(1e-3));
  CHECK(bytes_of(fitted, "GPT layers, attention, quadratic") == Approx(4320).epsilon(1e-3));
  CHECK(bytes_of(fitted, "conditioning and fixed part per clip") ==
        Approx(218330828).epsilon(1e-3));
  CHECK(bytes_of(fitted, "fixed parts") == Approx(13e6).epsilon(1e-3));
  CHECK(fitted.largest_residual() < 1e-6);
  CHECK(fitted.degrees_of_freedom == 1);
}

TEST_CASE("every stage and profile of the catalog is recovered from rows of it") {
  std::set<std::string> seen;
  for (const ModelStage& known : all_stages(embedded_catalog())) {
    const Stage& stage = *known.stage;
    if (stage.training.recipes.empty()) continue;
    if (!seen.insert(known.model->id + "/" + stage.key).second) continue;
    for (const MemoryProfile& profile : stage.training.profiles) {
      Bench bench(stage, embedded_catalog().assumptions());
      bench.pattern.precision = profile.precisions.front();
      bench.pattern.attention = profile.attention;
      bench.pattern.checkpointing = profile.checkpointing;
      bench.pattern.lora_rank =
          profile.method == Method::lora ? stage.training.lora->default_rank : 0;
      const double unit = stage.batch_unit == BatchUnit::frames ? 1000 : 1;
      const double cap = std::min(10.0, stage.training.cap_clip.value_or(Seconds(10)).count());
      // So large that no optimizer step hides the activations.
      bench.measure(
          {{200 * unit, 0.4 * cap}, {200 * unit, 0.7 * cap}, {300 * unit, cap}, {400 * unit, cap}});
      CAPTURE(known.model->id, stage.key, name_of(profile.precisions.front()),
              profile.checkpointing, name_of(profile.method));
      const Calibration calibration = bench.calibrated();
      // At twice the batch, what the catalog says.
      Measurement row = bench.pattern;
      row.batch = 800 * unit;
      row.clip = Seconds(cap);
      CalibratedRow planned = row_of(row, bench.request());
      const auto live = [&] {
        return estimate_memory(planned.workload, planned.plan, embedded_catalog().assumptions())
            .allocated.expected.count();
      };
      const double expected = live();
      planned.workload.stage = &calibration.stage;
      CHECK(live() == Approx(expected).epsilon(1e-3));
    }
  }
}

TEST_CASE("peaks of every kind lead to the same terms") {
  for (const PeakCounter kind :
       {PeakCounter::allocated, PeakCounter::reserved, PeakCounter::device}) {
    Bench bench = embedded_bench("gpt-sovits", "v2", "s2");
    bench.pattern.kind = kind;
    bench.pattern.precision = Precision::fp16;
    const CalibratedProfile fitted =
        bench.measure({{4, 3}, {8, 8}, {16, 10}}).calibrated().profiles.at(0);
    CAPTURE(name_of(kind));
    CHECK(bytes_of(fitted, "decoder and discriminators, per frame of the slice") ==
          Approx(7424547).epsilon(1e-3));
    CHECK(has_warning(fitted, "device-peaks") == (kind == PeakCounter::device));
  }
}

TEST_CASE("a stage that needs a fifth more is scaled, and the rest of the entry stays") {
  Bench bench = embedded_bench("xtts", "v2", "gpt");
  bench.measure({{4, 6}, {4, 8}, {6, 11}, {8, 9}});
  const Stage& stage = embedded_stage("xtts", "v2", "gpt");
  for (Measurement& row : bench.rows) {
    const CalibratedRow planned = row_of(row, bench.request());
    const FixedParts parts =
        fixed_parts(stage.training, planned.plan, stage.training.profiles.front());
    const double fixed = parts.in_phase(PhaseKind::forward);
    row.peak = Bytes(fixed + 1.2 * (row.peak.count() - fixed));
  }
  const Calibration calibration = bench.calibrated();
  CHECK(bytes_of(calibration.profiles.at(0), "GPT layers, linear in positions") ==
        Approx(1.2 * 3515763).epsilon(1e-3));
  REQUIRE(calibration.stage.training.profiles.size() == stage.training.profiles.size());
  CHECK(calibration.profiles.at(0).replaces == 0U);
  CHECK(calibration.stage.training.profiles[1].phases[0].terms[1].bytes == 3517825);
}

TEST_CASE("rows of two precisions make two profiles") {
  Bench bench = embedded_bench("xtts", "v2", "gpt");
  bench.measure({{2, 6}, {4, 8}, {6, 11}});
  bench.pattern.precision = Precision::bf16;
  const Calibration calibration = bench.measure({{2, 6}, {4, 8}, {6, 11}}).calibrated();
  REQUIRE(calibration.profiles.size() == 2);
  CHECK(calibration.profiles[0].profile.precisions.front() == Precision::fp32);
  CHECK(calibration.profiles[1].profile.precisions.front() == Precision::fp16);
}

TEST_CASE("settings that the catalog does not know get a profile of their own") {
  Bench bench = embedded_bench("xtts", "v2", "gpt");
  bench.measure({{2, 6}, {4, 8}, {6, 11}});
  for (Measurement& row : bench.rows) row.checkpointing = true;
  const Calibration calibration = bench.calibrated();
  CHECK_FALSE(calibration.profiles.at(0).replaces);
  CHECK(calibration.stage.training.profiles.back().checkpointing);
  CHECK(calibration.stage.training.profiles.size() ==
        embedded_stage("xtts", "v2", "gpt").training.profiles.size() + 1);
}

TEST_CASE("a model that nobody described is fitted with plain terms") {
  PlainBench bench;
  // 0.5 GB, 0.1 GB a clip, 0.2 MB a hundredth of a second.
  for (const auto& [batch, clip] :
       {std::pair{2.0, 4.0}, {4.0, 8.0}, {8.0, 5.0}, {8.0, 12.0}, {12.0, 6.0}})
    bench.row(batch, clip, 0.5e9 + batch * 0.1e9 + batch * clip * 100 * 0.2e6);
  const CalibratedProfile fitted = bench.calibrated().profiles.at(0);
  CHECK(bytes_of(fitted, "fixed parts") == Approx(0.5e9).epsilon(1e-6));
  CHECK(bytes_of(fitted, "per clip") == Approx(0.1e9).epsilon(1e-6));
  CHECK(bytes_of(fitted, "per frame of the clips") == Approx(0.2e6).epsilon(1e-6));
  CHECK(fitted.profile.points == 5);
}

TEST_CASE("a quadratic term is found where four rows of three lengths show it") {
  PlainBench bench;
  for (const auto& [batch, clip] :
       {std::pair{2.0, 4.0}, {4.0, 8.0}, {8.0, 5.0}, {8.0, 12.0}, {12.0, 6.0}})
    bench.row(batch, clip, 0.5e9 + batch * clip * 100 * 0.2e6 + batch * clip * clip * 1e4 * 300);
  const CalibratedProfile fitted = bench.calibrated().profiles.at(0);
  CHECK(bytes_of(fitted, "per pair of frames") == Approx(300).epsilon(1e-4));
}

TEST_CASE("three rows never get a quadratic term, and never more terms than rows") {
  PlainBench bench;
  for (const auto& [batch, clip] : {std::pair{2.0, 4.0}, {4.0, 8.0}, {8.0, 12.0}})
    bench.row(batch, clip, 0.5e9 + batch * clip * clip * 1e4 * 500);
  const CalibratedProfile fitted = bench.calibrated().profiles.at(0);
  CHECK(bytes_of(fitted, "per pair of frames") == 0);
  CHECK(fitted.profile.phases.front().terms.size() <= 3);
}

TEST_CASE("the claimed range holds what was not measured about nine times in ten") {
  Random random(7);
  int inside = 0;
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    PlainBench bench;
    const auto noisy = [&](double batch, double clip) {
      // Near enough to normal: the sum of twelve uniform numbers.
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += random.between(0, 1);
      bench.row(batch, clip, 0.5e9 + batch * clip * 100 * 0.5e6, std::exp(0.05 * normal));
    };
    for (const auto& [batch, clip] : {std::pair{2.0, 6.0}, {4.0, 8.0}, {8.0, 5.0}, {6.0, 10.0}})
      noisy(batch, clip);
    const CalibratedProfile fitted = bench.calibrated().profiles.at(0);
    noisy(5, 7);
    const double expected = 1.2e9 + bytes_of(fitted, "fixed parts") +
                            5 * bytes_of(fitted, "per clip") +
                            3500 * bytes_of(fitted, "per frame of the clips") +
                            5 * 700.0 * 700 * bytes_of(fitted, "per pair of frames");
    const double off = std::log(bench.rows.back().peak.count() / expected);
    inside += std::fabs(off) <= percentile_95_z * *fitted.profile.spread ? 1 : 0;
  }
  CAPTURE(inside);
  CHECK(inside > 0.85 * rounds);
  CHECK(inside < rounds);
}

TEST_CASE("rows without scatter claim no less than an exact graph does") {
  Bench bench = embedded_bench("xtts", "v2", "gpt");
  bench.measure({{2, 6}, {4, 8}, {6, 11}, {8, 9}});
  // data/assumptions.json, basis_sigma, measured.
  CHECK(bench.calibrated().profiles.at(0).profile.spread == 0.02);
}

TEST_CASE("rows that are all alike are refused, with the rows to add") {
  PlainBench bench;
  for (int i = 0; i < 3; ++i) bench.row(4, 8, 2e9 + i * 1e6);
  const Error error = bench.refusal();
  CHECK(error.code() == "rows-alike");
  CHECK(error.exit_code() == ExitCode::usage);
  CHECK(error.hint() == "add a row with batch 8, and one with clips of half the length");
}

TEST_CASE("one batch or one clip length is said to leave a question open") {
  PlainBench one_clip;
  for (const double batch : {2.0, 4.0, 8.0}) one_clip.row(batch, 8, batch * 0.5e9);
  CHECK(has_warning(one_clip.calibrated().profiles.at(0), "one-clip-length"));
  PlainBench one_batch;
  for (const double clip : {4.0, 8.0, 12.0}) one_batch.row(4, clip, clip * 0.5e9);
  CHECK(has_warning(one_batch.calibrated().profiles.at(0), "one-batch"));
}

TEST_CASE("two rows are too few") {
  PlainBench bench;
  bench.row(2, 4, 1e9);
  bench.row(4, 8, 3e9);
  CHECK(bench.refusal().code() == "too-few-rows");
}

TEST_CASE("memory that does not grow is refused") {
  PlainBench bench;
  bench.row(2, 4, 5e9);
  bench.row(4, 8, 4e9);
  bench.row(8, 12, 3e9);
  CHECK(bench.refusal().code() == "no-growth");
}

TEST_CASE("rows whose peak is the optimizer step are left out of the fit") {
  // Weights, gradients and AdamW of the small stage: 1.6 GB.
  PlainBench bench;
  bench.row(1, 4, 0.4e9);
  for (const double batch : {4.0, 6.0, 8.0}) bench.row(batch, 8, batch * 0.5e9);
  const CalibratedProfile fitted = bench.calibrated().profiles.at(0);
  CHECK(fitted.rows.front().set_by_optimizer);
  CHECK(fitted.rows.front().residual == Approx(0).margin(1e-9));
  CHECK(has_warning(fitted, "optimizer-rows"));
  CHECK(bytes_of(fitted, "per frame of the clips") == Approx(0.5e9 / 800).epsilon(1e-6));
}

TEST_CASE("less than weights and optimizer take is refused with its line") {
  PlainBench bench;
  for (const double batch : {2.0, 4.0, 8.0}) bench.row(batch, 8, batch * 0.5e9);
  bench.rows[1].peak = gib(1);
  const Error error = bench.refusal();
  CHECK(std::string(error.what()).starts_with("runs.csv:3: peak: 1.00 GiB is less than the 1.49"));
}

TEST_CASE("settings that a stage does not have are refused with line and column") {
  const auto refusal = [](auto change) {
    Bench bench = embedded_bench("xtts", "v2", "gpt");
    bench.measure({{2, 6}, {4, 8}, {6, 11}});
    change(bench.rows[1]);
    return std::string(bench.refusal().what());
  };
  CHECK(refusal([](Measurement& row) { row.optimizer = "lion"; }) ==
        "runs.csv:3: optimizer: stage gpt does not train with 'lion'");
  CHECK(refusal([](Measurement& row) { row.lora_rank = 8; }) ==
        "runs.csv:3: lora_rank: stage gpt is not known to train with LoRA");
  CHECK(refusal([](Measurement& row) { row.batch = 2.5; }) ==
        "runs.csv:3: batch: 2.5 clips are not possible");
  CHECK(refusal([](Measurement& row) { row.clip = Seconds(20); }) ==
        "runs.csv:3: clip_s: stage gpt cuts or skips clips longer than 11.6s");
}

TEST_CASE("hostile values end in an answer or an Error") {
  Random random(99);
  for (int round = 0; round < 2000; ++round) {
    PlainBench bench;
    const int rows = random.integer(1, 8);
    for (int i = 0; i < rows; ++i) {
      bench.row(random.pick({1.0, 2.0, 3.0, 7.0, 1e6}), random.pick({0.1, 5.0, 5.001, 3600.0}),
                random.pick({0.0, 1.0, 1e6, 5e9, 9e12}), random.pick({1.0, 1.01, 0.9}));
      bench.rows.back().kind =
          random.pick({PeakCounter::allocated, PeakCounter::reserved, PeakCounter::device});
    }
    try {
      for (const CalibratedProfile& fitted : bench.calibrated().profiles) {
        CHECK(std::isfinite(*fitted.profile.spread));
        CHECK(*fitted.profile.spread <= 2);
        for (const Term& term : fitted.profile.phases.front().terms) {
          CHECK(std::isfinite(term.bytes));
          CHECK(term.bytes >= 0);
        }
      }
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::usage);
    }
  }
}

TEST_CASE("more batch and longer clips never need less in a fitted entry") {
  Random random(11);
  int fitted_entries = 0;
  for (int round = 0; round < 300; ++round) {
    PlainBench bench;
    for (int i = 0; i < 5; ++i) {
      const double batch = random.integer(1, 16);
      const double clip = random.between(2, 12);
      bench.row(batch, clip, batch * clip * 5e7 * random.between(0.7, 1.4) + 0.5e9);
    }
    Calibration calibration;
    try {
      calibration = bench.calibrated();
    } catch (const Error&) {
      continue;
    }
    ++fitted_entries;
    StageWorkload workload = calibration.profiles.at(0).rows.at(0).workload;
    StagePlan plan = calibration.profiles.at(0).rows.at(0).plan;
    workload.stage = &calibration.stage;
    const auto bytes = [&](double batch, double clip) {
      plan.batch = batch;
      workload.lengths = lengths_of(calibration.stage.lengths, Seconds(clip), {});
      return device_peak(workload, plan, small_assumptions()).expected;
    };
    for (int i = 0; i < 10; ++i) {
      const double batch = random.integer(1, 64);
      const double clip = random.between(1, 30);
      CHECK(bytes(batch + 1, clip) >= bytes(batch, clip));
      CHECK(bytes(batch, clip + 1) >= bytes(batch, clip));
    }
  }
  CHECK(fitted_entries > 200);
}
