#include "estimate/calibration.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "estimate/fixed_parts.hpp"
#include "estimate/least_squares.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr std::size_t least_rows = 3;
// A peak this near to the optimizer step's is the optimizer step's.
constexpr double step_margin = 1.005;
// Below this share of weights, gradients and optimizer state a row contradicts
// them. What is read off the card knows its slack less well.
constexpr double least_of_fixed = 0.97;
constexpr double least_of_fixed_on_card = 0.9;
// The catalog's reader takes no more.
constexpr double most_spread = 2;

// fp16 and bf16 need the same memory, and so do fp32 and tf32.
std::vector<Precision> precisions_like(Precision precision) {
  if (is_half(precision)) return {Precision::fp16, Precision::bf16};
  if (precision == Precision::fp32 || precision == Precision::tf32)
    return {Precision::fp32, Precision::tf32};
  return {precision};
}

// Of the settings that a row can have, the profile most like them: its terms
// have the right shape, if not the right size. Null where there is none.
const MemoryProfile* nearest_profile(const std::vector<MemoryProfile>& profiles,
                                     const StagePlan& plan) {
  const MemoryProfile* nearest = nullptr;
  int best = -1;
  for (const MemoryProfile& profile : profiles) {
    int likeness = profile.method == plan.method ? 8 : 0;
    likeness += profile.checkpointing == plan.checkpointing ? 4 : 0;
    likeness += !profile.attention || profile.attention == plan.attention ? 2 : 0;
    likeness += is_half(profile.precisions.front()) == is_half(plan.precision) ? 1 : 0;
    if (likeness <= best) continue;
    nearest = &profile;
    best = likeness;
  }
  return nearest;
}

const MemoryProfile* profile_of(const Stage& stage, const StagePlan& plan) {
  return find_profile(stage.training.profiles, {.precision = plan.precision,
                                                .attention = plan.attention,
                                                .checkpointing = plan.checkpointing,
                                                .method = plan.method});
}

// What the new profile is before its terms are known.
MemoryProfile bare_profile(const Stage& stage, const StagePlan& plan) {
  if (const MemoryProfile* known = profile_of(stage, plan)) return *known;
  MemoryProfile profile;
  profile.precisions = precisions_like(plan.precision);
  profile.attention = plan.attention;
  profile.checkpointing = plan.checkpointing;
  profile.method = plan.method;
  if (const MemoryProfile* like = nearest_profile(stage.training.profiles, plan)) {
    profile.phases = like->phases;
    profile.autocast_copies = like->autocast_copies && is_half(plan.precision);
    profile.weight_bytes = like->weight_bytes;
  } else {
    profile.phases = {{"forward", PhaseKind::forward, {}, {}}};
  }
  return profile;
}

bool have_same_profile(const StagePlan& a, const StagePlan& b, const Stage& stage) {
  const MemoryProfile* of_a = profile_of(stage, a);
  if (of_a != profile_of(stage, b)) return false;
  if (of_a != nullptr) return true;
  return precisions_like(a.precision) == precisions_like(b.precision) &&
         a.attention == b.attention && a.checkpointing == b.checkpointing && a.method == b.method;
}

std::size_t largest_phase(const std::vector<Phase>& phases, const FixedParts& parts,
                          const Lengths& lengths) {
  const auto bytes = [&](const Phase& phase) {
    return parts.in_phase(phase.kind) + terms_bytes(phase, lengths).live;
  };
  const auto largest =
      std::max_element(phases.begin(), phases.end(),
                       [&](const Phase& a, const Phase& b) { return bytes(a) < bytes(b); });
  return static_cast<std::size_t>(largest - phases.begin());
}

// The optimizer step's bytes, with terms that the catalog knows of it.
double step_bytes(const MemoryProfile& profile, const FixedParts& parts, const Lengths& lengths) {
  double most = parts.in_phase(PhaseKind::step);
  for (const Phase& phase : profile.phases) {
    if (phase.kind == PhaseKind::step)
      most = std::max(most, parts.in_phase(PhaseKind::step) + terms_bytes(phase, lengths).live);
  }
  return most;
}

// Fits one group of rows that share a profile.
class GroupFit {
 public:
  GroupFit(std::vector<CalibratedRow> rows, const CalibrationRequest& request,
           const Assumptions& assumptions)
      : m_request(request), m_stage(*request.stage), m_memory(assumptions.memory) {
    m_result.rows = std::move(rows);
    const StagePlan& plan = m_result.rows.front().plan;
    m_result.profile = bare_profile(m_stage, plan);
    if (const MemoryProfile* known = profile_of(m_stage, plan))
      m_result.replaces = static_cast<std::size_t>(known - m_stage.training.profiles.data());
  }

  CalibratedProfile fit() {
    if (m_result.rows.size() < least_rows)
      throw Error(
          ExitCode::usage, "too-few-rows",
          fmt::format("{}: {} {} in {} cannot show how memory grows", m_request.file,
                      m_result.rows.size(), m_result.rows.size() == 1 ? "row" : "rows",
                      settings_text()),
          fmt::format("measure {} or more: other batches, and other clip lengths", least_rows));
    measure_rows();
    drop_step_terms_that_rows_contradict();
    const TermFit terms = fit_rows();
    settle(terms);
    return std::move(m_result);
  }

 private:
  [[nodiscard]] std::string settings_text() const {
    const StagePlan& plan = m_result.rows.front().plan;
    std::string text(name_of(plan.precision));
    if (plan.attention) text += fmt::format(" with {} attention", name_of(*plan.attention));
    if (plan.checkpointing) text += " with checkpointing";
    if (plan.method == Method::lora) text += " with LoRA";
    return text;
  }
  [[nodiscard]] FixedParts parts_of(const CalibratedRow& row) const {
    return fixed_parts(m_stage.training, row.plan, m_result.profile);
  }

  void measure_rows() {
    for (CalibratedRow& row : m_result.rows) {
      const FixedParts parts = parts_of(row);
      const Measurement& measured = *row.measurement;
      row.live = live_of(row, parts, m_request, m_memory);
      const double fixed = parts.resident() + parts.gradients;
      const double least =
          measured.kind == PeakCounter::allocated ? least_of_fixed : least_of_fixed_on_card;
      if (row.live.count() >= least * fixed) continue;
      refuse_row(m_request, measured, "peak",
                 fmt::format("{:.2f} GiB is less than the {:.2f} GiB that weights, gradients{} and "
                             "optimizer state take",
                             in_gib(measured.peak), in_gib(measured.peak - row.live + Bytes(fixed)),
                             parts.bucket > 0 ? ", the DDP bucket" : ""),
                 "check kind, optimizer and lora_rank of the row, and the number of parameters");
    }
  }

  void drop_step_terms_that_rows_contradict() {
    const bool contradicted =
        std::any_of(m_result.rows.begin(), m_result.rows.end(), [&](const CalibratedRow& row) {
          const FixedParts parts = parts_of(row);
          const double step = step_bytes_of(row);
          return row.live.count() < 0.99 * step && step > parts.in_phase(PhaseKind::step);
        });
    if (contradicted)
      std::erase_if(m_result.profile.phases,
                    [](const Phase& phase) { return phase.kind == PhaseKind::step; });
  }

  static Lengths lengths_of(const CalibratedRow& row) {
    return lengths_in_plan(row.workload, row.plan);
  }

  [[nodiscard]] double step_bytes_of(const CalibratedRow& row) const {
    return step_bytes(m_result.profile, parts_of(row), lengths_of(row));
  }

  // The phases before the optimizer step, with the catalog's terms or plain
  // ones.
  std::vector<Phase> shapes() {
    std::vector<Phase> phases;
    for (const Phase& phase : m_result.profile.phases) {
      if (phase.kind != PhaseKind::step) phases.push_back(phase);
    }
    const bool described = std::any_of(phases.begin(), phases.end(),
                                       [](const Phase& phase) { return !phase.terms.empty(); });
    m_result.shaped_by_catalog = described;
    if (described) return phases;
    return {{"forward", PhaseKind::forward, {}, plain_terms()}};
  }

  TermFit fit_rows() {
    const std::vector<Phase> shape = shapes();
    std::size_t used = 0;
    for (CalibratedRow& row : m_result.rows) {
      row.set_by_optimizer = row.live.count() <= step_margin * step_bytes_of(row);
      used += row.set_by_optimizer ? 0 : 1;
    }
    if (used < 2)
      throw Error(ExitCode::usage, "too-few-rows",
                  fmt::format("{}: the optimizer step sets the peak of {} of {} rows in {}: they "
                              "say nothing about activations",
                              m_request.file, m_result.rows.size() - used, m_result.rows.size(),
                              settings_text()),
                  "measure larger batches or longer clips");
    m_used = static_cast<int>(used);
    // Which phase is largest may change with the fit; that settles at once
    // where the catalog is nearly right.
    m_phases = shape;
    TermFit fit;
    for (int round = 0; round < 3; ++round) {
      fit = fit_terms(points_by(m_phases, shape), m_stage.lengths, m_result.shaped_by_catalog,
                      m_request.file);
      for (std::size_t i = 0; i < shape.size(); ++i)
        m_phases[i].terms = scaled_terms(shape[i].terms, m_stage.lengths, fit);
    }
    return fit;
  }

  // The rows that show activations, each with the shape of the phase that is
  // its largest by `phases`.
  [[nodiscard]] std::vector<FitPoint> points_by(const std::vector<Phase>& phases,
                                                const std::vector<Phase>& shape) const {
    std::vector<FitPoint> points;
    for (const CalibratedRow& row : m_result.rows) {
      if (row.set_by_optimizer) continue;
      const FixedParts parts = parts_of(row);
      const Lengths lengths = lengths_of(row);
      const std::size_t main = largest_phase(phases, parts, lengths);
      points.push_back({.shape = &shape[main].terms,
                        .lengths = lengths,
                        .clip_s = row.measurement->clip.count(),
                        .rest = row.live.count() - parts.in_phase(shape[main].kind),
                        .live = row.live.count()});
    }
    return points;
  }

  void settle(const TermFit& fit) {
    MemoryProfile& profile = m_result.profile;
    std::erase_if(profile.phases, [](const Phase& phase) { return phase.kind != PhaseKind::step; });
    profile.phases.insert(profile.phases.begin(), m_phases.begin(), m_phases.end());
    m_result.degrees_of_freedom = m_used - fit.count;
    m_result.standard_error = fit.standard_error;
    m_result.warnings = fit.warnings;
    for (CalibratedRow& row : m_result.rows) {
      const FixedParts parts = parts_of(row);
      const Lengths lengths = lengths_of(row);
      row.fitted = Bytes(step_bytes_of(row));
      for (const Phase& phase : m_phases)
        row.fitted = std::max(row.fitted,
                              Bytes(parts.in_phase(phase.kind) + terms_bytes(phase, lengths).live));
      row.residual = row.fitted / row.live - 1;
    }
    claim_range();
    profile.basis = Basis::measured;
    profile.spread = std::round(spread_of(fit) * 1e4) / 1e4;
    profile.points = static_cast<int>(m_result.rows.size());
    profile.residual_percent = std::round(m_result.largest_residual() * 1e4) / 100;
    profile.source = source_text();
    warn(fit);
  }

  void claim_range() {
    for (const CalibratedRow& row : m_result.rows) {
      const auto widen = [](OpenRange& range, double value) {
        range.low = std::min(range.low.value_or(value), value);
        range.high = std::max(range.high.value_or(value), value);
      };
      widen(m_result.batch, row.plan.batch);
      widen(m_result.clip_s, row.measurement->clip.count());
    }
  }

  // The range of 5 to 95 % that a new step like these will have, as a standard
  // deviation of the logarithm: Student's t, since a few rows know their own
  // scatter badly, and the error of the fitted terms on top. Not below what an
  // exact graph claims.
  [[nodiscard]] double spread_of(const TermFit& fit) const {
    const double least = m_memory.basis_sigma.at(Basis::measured);
    if (!fit.checked) return std::max(least, m_memory.basis_sigma.at(Basis::reported));
    const double inflation =
        student_t_quantile(0.95, m_result.degrees_of_freedom) / percentile_95_z;
    const double spread =
        fit.standard_error * std::sqrt(1 + static_cast<double>(fit.count) / m_used) * inflation;
    return std::clamp(spread, std::max(least, 0.001), most_spread);
  }

  [[nodiscard]] std::string source_text() const {
    const auto span = [](const OpenRange& range) {
      return range.low == range.high
                 ? number_text(*range.low)
                 : fmt::format("{} to {}", number_text(*range.low), number_text(*range.high));
    };
    std::string text = fmt::format("own measurements of {}: {} rows in {}, batch {}, clips of {} s",
                                   m_request.date, m_result.rows.size(), settings_text(),
                                   span(m_result.batch), span(m_result.clip_s));
    if (m_result.shaped_by_catalog) text += "; shape of the terms: vcgpu's catalog";
    return text;
  }

  void warn(const TermFit& fit) {
    const auto add = [&](const char* code, std::string message) {
      m_result.warnings.push_back({code, std::move(message)});
    };
    const auto of_kind = [&](PeakCounter kind) {
      return std::count_if(m_result.rows.begin(), m_result.rows.end(),
                           [&](const auto& row) { return row.measurement->kind == kind; });
    };
    const Overhead& overhead = m_memory.training.at(m_stage.family);
    const double slack = overhead.slack + overhead.cache;
    if (of_kind(PeakCounter::device) > 0)
      add("device-peaks",
          fmt::format("taken off peaks of the card: {:.0f} MiB of CUDA context, then {:.0f} % of "
                      "allocator slack; max_memory_allocated is exact",
                      m_memory.cuda_context.expected.count() / 1048576, slack * 100));
    if (of_kind(PeakCounter::reserved) > 0)
      add("reserved-peaks", fmt::format("taken off reserved memory: {:.0f} % of allocator slack; "
                                        "max_memory_allocated is exact",
                                        slack * 100));
    if (fixed_parts(m_stage.training, m_result.rows.front().plan, m_result.profile).bucket > 0)
      add("ddp-bucket",
          "the trainer's DDP wrapper holds a bucket the size of the gradients; it "
          "was taken off, and the estimate adds it again");
    const auto bound = std::count_if(m_result.rows.begin(), m_result.rows.end(),
                                     [](const auto& row) { return row.set_by_optimizer; });
    if (bound > 0)
      add("optimizer-rows",
          fmt::format("the optimizer step sets the peak of {} of {} rows: they say nothing about "
                      "activations and were left out of the fit",
                      bound, m_result.rows.size()));
    if (!fit.checked)
      add("unchecked", fmt::format("{} rows for {} terms: nothing is left to check the fit with, "
                                   "and the range is a guess; add a row",
                                   m_used, fit.count));
    if (m_result.largest_residual() > 0.1)
      add("bad-fit", fmt::format("a row is {:.0f} % off: check it, and that all rows ran the same "
                                 "code with the same settings",
                                 m_result.largest_residual() * 100));
  }

  const CalibrationRequest& m_request;
  const Stage& m_stage;
  const MemoryAssumptions& m_memory;
  CalibratedProfile m_result;
  std::vector<Phase> m_phases;  // before the optimizer step
  int m_used = 0;               // rows that were fitted
};

}  // namespace

const CalibratedRow& CalibratedProfile::largest() const {
  return *std::max_element(rows.begin(), rows.end(),
                           [](const auto& a, const auto& b) { return a.live < b.live; });
}

double CalibratedProfile::largest_residual() const {
  double largest = 0;
  for (const CalibratedRow& row : rows) largest = std::max(largest, std::fabs(row.residual));
  return largest;
}

Calibration calibrate(const CalibrationRequest& request, const Assumptions& assumptions) {
  std::vector<std::vector<CalibratedRow>> groups;
  for (const Measurement& measurement : request.rows) {
    CalibratedRow row = row_of(measurement, request);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return have_same_profile(group.front().plan, row.plan, *request.stage);
    });
    if (same == groups.end())
      groups.push_back({std::move(row)});
    else
      same->push_back(std::move(row));
  }
  Calibration calibration{.stage = *request.stage, .profiles = {}};
  std::vector<MemoryProfile>& profiles = calibration.stage.training.profiles;
  for (std::vector<CalibratedRow>& rows : groups) {
    CalibratedProfile fitted = GroupFit(std::move(rows), request, assumptions).fit();
    if (fitted.replaces)
      profiles[*fitted.replaces] = fitted.profile;
    else
      profiles.push_back(fitted.profile);
    calibration.profiles.push_back(std::move(fitted));
  }
  return calibration;
}

}  // namespace vcgpu
