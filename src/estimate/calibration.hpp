// A stage's memory terms from the user's own measurements.
//
//   measured peak -> live tensors   less context, slack and DDP bucket, by kind
//   live tensors   = fixed parts by rule + constant + scales x groups of terms
//
// What follows from parameter counts is taken off by the same rule that the
// estimate adds it with (fixed_parts.hpp); the rest is fitted by non-negative
// least squares on relative errors, because errors of memory are log-normal.
//
// Only the largest phase of a step shows in its peak: a row tells of the phase
// that the catalog says is largest for it, and what is learned from it holds for
// the others. Rows whose peak is the optimizer step say nothing about terms:
// they are left out of the fit, and shown.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/measurement.hpp"
#include "vcgpu/estimate.hpp"

namespace vcgpu {

struct CalibrationRequest {
  const Stage* stage = nullptr;    // without profiles: nobody has described it
  const Recipe* recipe = nullptr;  // what a row does not say
  std::span<const Measurement> rows;
  std::string file;  // of the rows, for errors
  std::string date;  // of the measurements
};

struct CalibratedRow {
  const Measurement* measurement = nullptr;
  StagePlan plan;  // its optimizer belongs to the requested stage
  StageWorkload workload;
  Bytes live;                     // as measured, less what its kind adds
  Bytes fitted;                   // by the new profile
  double residual = 0;            // fitted / live - 1
  bool set_by_optimizer = false;  // the optimizer step sets the peak
};

// One fitted profile: the rows that share precision, attention, checkpointing
// and method.
struct CalibratedProfile {
  MemoryProfile profile;
  std::optional<std::size_t> replaces;  // index in the stage's profiles
  bool shaped_by_catalog = false;       // its terms are the catalog's, scaled
  std::vector<CalibratedRow> rows;
  int degrees_of_freedom = 0;  // rows that fitted less terms; 0: nothing checks the fit
  double standard_error = 0;   // of one row, as a share of it
  OpenRange batch, clip_s;     // measured
  std::vector<Warning> warnings;

  // The row that took most.
  [[nodiscard]] const CalibratedRow& largest() const;
  [[nodiscard]] double largest_residual() const;
};

struct Calibration {
  Stage stage;  // the requested one with the new profiles
  std::vector<CalibratedProfile> profiles;
};

// Throws Error (usage): a row that the stage cannot have made, rows that
// contradict the fixed parts, too few, or too much alike to tell terms apart;
// its hint says which rows to add.
Calibration calibrate(const CalibrationRequest& request, const Assumptions& assumptions);

// The measured pass as a workload and plan; settings that the row does not name
// are the recipe's. Throws Error (usage) where the stage has no such setting.
CalibratedRow row_of(const Measurement& measurement, const CalibrationRequest& request);

struct FixedParts;

// Live tensors: what torch.cuda.max_memory_allocated shows without a DDP
// wrapper.
Bytes live_of(const CalibratedRow& row, const FixedParts& parts, const CalibrationRequest& request,
              const MemoryAssumptions& memory);

// Throws Error (usage) that names file, line and column.
[[noreturn]] void refuse_row(const CalibrationRequest& request, const Measurement& row,
                             const std::string& column, const std::string& message,
                             const std::string& hint);

// What terms are made of: what a batch costs whatever is in it, what a clip
// costs whatever its length, and what grows with its length or its square.
enum class TermGroup { constant, per_clip, linear, quadratic };
inline constexpr std::size_t term_group_count = 4;

// How the rows scale the terms of each group; constants are replaced.
struct TermFit {
  double constant_bytes = 0;
  std::array<double, term_group_count> scale{};
  int count = 0;              // of terms that were told apart
  double standard_error = 0;  // as a share of a row
  bool checked = false;       // there are more rows than terms
  std::vector<Warning> warnings;
};

// One row as the fit sees it.
struct FitPoint {
  const std::vector<Term>* shape = nullptr;  // of the phase that it shows
  Lengths lengths;
  double clip_s = 0;
  double rest = 0;  // bytes to explain
  double live = 0;  // bytes that errors are relative to
};

// Terms of a model that nobody described: one of each group.
const std::vector<Term>& plain_terms();

// `lengths` are the stage's rules, `shaped` says that the terms are the
// catalog's. Throws Error (usage) where the points are too much alike.
TermFit fit_terms(const std::vector<FitPoint>& points, const std::vector<LengthRule>& lengths,
                  bool shaped, const std::string& file);

std::vector<Term> scaled_terms(const std::vector<Term>& shape,
                               const std::vector<LengthRule>& lengths, const TermFit& fit);

}  // namespace vcgpu
