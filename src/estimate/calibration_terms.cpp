// Which terms the rows can tell apart.
//
// Three rows cannot tell seven terms apart. So a stage of the catalog keeps the
// shape of its entry: its terms in groups (what a clip costs whatever its
// length, linear in length, quadratic), with one scale for all of them, or one
// for each group where the rows ask for it. A model that nobody has described
// gets one plain term a group.
//
// Terms are added where an F test at 5 % says that they explain something: never
// more terms than rows, and the quadratic one apart only with four rows of
// three lengths. Refused were AIC (undefined for three rows with two terms) and
// leave-one-out (each of three rows is vital).
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "estimate/calibration.hpp"
#include "estimate/fixed_parts.hpp"
#include "estimate/least_squares.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

namespace {

// Columns nearer to each other than this (the sine of their angle) would trade
// a percent of noise for all of a coefficient.
constexpr double least_independence = 0.01;
// A fit this good needs no further term.
constexpr double good_enough = 1e-4;
// Two terms that miss a row by this much are wrong, even if nothing is left to
// check three with.
constexpr double too_far_off = 0.03;

using Group = TermGroup;

// The groups of each column; those of one column share a scale.
using Candidate = std::vector<std::vector<Group>>;

std::size_t at(Group group) { return static_cast<std::size_t>(group); }

Group group_of(const Term& term, const std::vector<LengthRule>& lengths) {
  int of_length = 0;
  bool of_batch = false;
  for (const Variable variable : term.per) {
    const bool is_batch = variable == Variable::batch || variable == Variable::frames ||
                          variable == Variable::streams;
    const bool is_constant = std::any_of(
        lengths.begin(), lengths.end(),
        [&](const LengthRule& rule) { return rule.variable == variable && rule.constant; });
    if (is_batch)
      of_batch = true;
    else if (!is_constant)
      ++of_length;
  }
  if (of_length == 0) return of_batch ? Group::per_clip : Group::constant;
  return of_length == 1 ? Group::linear : Group::quadratic;
}

// By number of columns, from two.
std::vector<std::vector<Candidate>> ladder(bool shaped) {
  const std::vector<Group> c{Group::constant};
  const std::vector<Group> k{Group::per_clip};
  const std::vector<Group> l{Group::linear};
  const std::vector<Group> q{Group::quadratic};
  if (shaped)
    return {{{c, {Group::per_clip, Group::linear, Group::quadratic}}},
            {{c, k, {Group::linear, Group::quadratic}}, {c, {Group::per_clip, Group::linear}, q}},
            {{c, k, l, q}}};
  return {{{c, l}, {c, k}}, {{c, k, l}, {c, l, q}}, {{c, k, l, q}}};
}

struct Fitted {
  Candidate candidate;
  NonNegativeFit fit;
  double worst = 0;  // residual, as a share of the row

  [[nodiscard]] std::size_t columns() const { return candidate.size(); }
};

class Fitter {
 public:
  Fitter(const std::vector<FitPoint>& points, const std::vector<LengthRule>& rules)
      : m_lengths(rules), m_points(points) {
    std::set<long> lengths;
    for (const FitPoint& point : points) {
      lengths.insert(std::lround(point.clip_s * 100));
      m_target.push_back(point.rest / point.live);
    }
    m_quadratic_apart = points.size() >= 4 && lengths.size() >= 3;
  }

  // Nothing where the rows cannot tell its columns apart, or it has no terms
  // that a smaller one lacks.
  [[nodiscard]] std::optional<Fitted> fit(const Candidate& candidate) const {
    if (candidate.size() > m_points.size()) return std::nullopt;
    std::vector<Column> columns;
    for (const std::vector<Group>& groups : candidate) {
      if (groups == std::vector<Group>{Group::quadratic} && !m_quadratic_apart) return std::nullopt;
      columns.push_back(column_of(groups));
      if (columns.size() > 1 && independence(columns) < least_independence) return std::nullopt;
    }
    Fitted fitted{candidate, non_negative_least_squares(columns, m_target), 0};
    for (std::size_t i = 0; i < m_points.size(); ++i) {
      double value = 0;
      for (std::size_t j = 0; j < columns.size(); ++j)
        value += fitted.fit.coefficients[j] * columns[j][i];
      fitted.worst = std::max(fitted.worst, std::fabs(value - m_target[i]));
    }
    return fitted;
  }

  [[nodiscard]] std::optional<Fitted> best(const std::vector<Candidate>& candidates) const {
    std::optional<Fitted> best;
    for (const Candidate& candidate : candidates) {
      const std::optional<Fitted> fitted = fit(candidate);
      if (fitted && (!best || fitted->fit.residual_sum < best->fit.residual_sum)) best = fitted;
    }
    return best;
  }

  [[nodiscard]] int freedom(const Fitted& fitted) const {
    return static_cast<int>(m_points.size()) - static_cast<int>(fitted.columns());
  }

  [[nodiscard]] double standard_error(const Fitted& fitted) const {
    return std::sqrt(fitted.fit.residual_sum / std::max(freedom(fitted), 1));
  }

  // Whether the columns that are more explain more than chance would: an F test
  // at 5 %, which is Student's t for one column, and for two has a closed form.
  [[nodiscard]] bool is_better(const Fitted& more, const Fitted& fewer) const {
    if (standard_error(fewer) < good_enough) return false;
    const int free = freedom(more);
    const std::size_t added = more.columns() - fewer.columns();
    if (free == 0) return more.columns() <= 3 && fewer.worst > too_far_off;
    const double t = student_t_quantile(0.975, free);
    const double f = added == 1 ? t * t : 0.5 * free * (std::pow(0.05, -2.0 / free) - 1);
    const double gained = fewer.fit.residual_sum - more.fit.residual_sum;
    return gained / static_cast<double>(added) > f * more.fit.residual_sum / free;
  }

 private:
  [[nodiscard]] Column column_of(const std::vector<Group>& groups) const {
    Column column;
    for (const FitPoint& point : m_points) {
      double bytes = groups.front() == Group::constant ? 1 : 0;
      for (const Term& term : *point.shape) {
        const Group group = group_of(term, m_lengths);
        const bool counts = group != Group::constant &&
                            std::find(groups.begin(), groups.end(), group) != groups.end();
        if (counts) bytes += term_bytes(term, point.lengths);
      }
      column.push_back(bytes / point.live);
    }
    return column;
  }

  const std::vector<LengthRule>& m_lengths;
  const std::vector<FitPoint>& m_points;
  Column m_target;
  bool m_quadratic_apart = false;
};

struct Variety {
  std::set<double> batches, clips;
};

Variety variety_of(const std::vector<FitPoint>& points) {
  Variety variety;
  for (const FitPoint& point : points) {
    variety.batches.insert(
        std::max(point.lengths[Variable::batch], point.lengths[Variable::frames]));
    variety.clips.insert(std::round(point.clip_s * 100) / 100);
  }
  return variety;
}

[[noreturn]] void refuse_alike(const std::vector<FitPoint>& points, const std::string& file) {
  const Variety variety = variety_of(points);
  throw Error(ExitCode::usage, "rows-alike",
              fmt::format("{}: the rows are too much alike: what is fixed and what grows with the "
                          "batch cannot be told apart",
                          file),
              fmt::format("add a row with batch {}, and one with clips of half the length",
                          number_text(2 * *variety.batches.rbegin())));
}

void warn_of_sameness(const Candidate& candidate, bool shaped, const std::vector<FitPoint>& points,
                      TermFit& result) {
  const Variety variety = variety_of(points);
  const bool by_frames = points.front().lengths[Variable::frames] > 0;
  if (variety.batches.size() == 1)
    result.warnings.push_back(
        {"one-batch",
         fmt::format("every row has batch {}: how much of the fixed part is paid for each clip {}; "
                     "add a row with batch {}",
                     number_text(*variety.batches.begin()),
                     shaped ? "is taken from the catalog" : "is not known",
                     number_text(2 * *variety.batches.begin()))});
  if (variety.clips.size() == 1 && !by_frames)
    result.warnings.push_back(
        {"one-clip-length",
         fmt::format("every row has clips of {} s: growth with their length is {}; add a row with "
                     "clips of {} s",
                     number_text(*variety.clips.begin()),
                     shaped ? "taken from the catalog" : "assumed to be proportional",
                     number_text(*variety.clips.begin() / 2))});
  const bool by_length_alone = !shaped && candidate.size() == 2 &&
                               candidate.back() == std::vector<Group>{Group::linear} &&
                               points.size() > 2;
  if (by_length_alone && variety.clips.size() == 2 && points.size() < 4)
    result.warnings.push_back(
        {"no-curve",
         "with two clip lengths nobody can see whether memory grows faster than the length, as "
         "attention does: add rows with two longer ones"});
}

double rounded_bytes(double bytes) {
  return bytes >= 1000 ? std::round(bytes) : std::round(bytes * 1e4) / 1e4;
}

}  // namespace

const std::vector<Term>& plain_terms() {
  static const std::vector<Term> terms{
      {"per clip", 1, {Variable::batch}},
      {"per frame of the clips", 1, {Variable::batch, Variable::clip_frames}},
      {"per pair of frames", 1, {Variable::batch, Variable::clip_frames, Variable::clip_frames}}};
  return terms;
}

TermFit fit_terms(const std::vector<FitPoint>& points, const std::vector<LengthRule>& lengths,
                  bool shaped, const std::string& file) {
  const Fitter fitter(points, lengths);
  const std::vector<std::vector<Candidate>> levels = ladder(shaped);
  std::optional<Fitted> chosen = fitter.best(levels.front());
  if (!chosen) refuse_alike(points, file);
  for (std::size_t level = 1; level < levels.size(); ++level) {
    const std::optional<Fitted> more = fitter.best(levels[level]);
    if (more && fitter.is_better(*more, *chosen)) chosen = more;
  }

  TermFit result;
  result.count = static_cast<int>(chosen->columns());
  result.checked = fitter.freedom(*chosen) > 0;
  result.standard_error = fitter.standard_error(*chosen);
  result.constant_bytes = chosen->fit.coefficients.front();
  double growing = 0;
  for (std::size_t j = 1; j < chosen->columns(); ++j) {
    growing += chosen->fit.coefficients[j];
    for (const Group group : chosen->candidate[j])
      result.scale[at(group)] = chosen->fit.coefficients[j];
  }
  if (growing <= 0)
    throw Error(
        ExitCode::usage, "no-growth",
        fmt::format("{}: the measured memory does not grow with batch and clip length", file),
        "reset the peak before each step (torch.cuda.reset_peak_memory_stats), and read "
        "max_memory_allocated rather than the card");
  warn_of_sameness(chosen->candidate, shaped, points, result);
  return result;
}

std::vector<Term> scaled_terms(const std::vector<Term>& shape,
                               const std::vector<LengthRule>& lengths, const TermFit& fit) {
  std::vector<Term> terms{{"fixed parts", rounded_bytes(fit.constant_bytes), {}}};
  for (Term term : shape) {
    const Group group = group_of(term, lengths);
    if (group == Group::constant) continue;
    term.bytes = rounded_bytes(term.bytes * fit.scale[at(group)]);
    terms.push_back(std::move(term));
  }
  std::erase_if(terms, [](const Term& term) { return term.bytes <= 0; });
  return terms;
}

}  // namespace vcgpu
