#include "estimate/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace vcgpu {

namespace {

// What is left of a column below this share of it is rounding.
constexpr double dependent_below = 1e-9;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm(const Column& column) { return std::sqrt(dot(column, column)); }

void subtract(Column& from, double factor, const Column& column) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= factor * column[i];
}

// The unconstrained fit by the columns that are `chosen`; 0 for the others.
Column least_squares(const std::vector<Column>& columns, const std::vector<std::size_t>& chosen,
                     const Column& target) {
  const std::size_t count = chosen.size();
  std::vector<Column> q;
  std::vector<Column> r(count, Column(count, 0));
  for (std::size_t j = 0; j < count; ++j) {
    Column column = columns[chosen[j]];
    const double length = norm(column);
    // Twice: one pass leaves rounding errors where columns are nearly parallel.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < j; ++i) {
        const double part = dot(q[i], column);
        r[i][j] += part;
        subtract(column, part, q[i]);
      }
    }
    const double left = norm(column);
    r[j][j] = left > dependent_below * length ? left : 0;
    for (double& value : column) value = r[j][j] > 0 ? value / r[j][j] : 0;
    q.push_back(std::move(column));
  }
  Column rest = target;
  Column coefficients(columns.size(), 0);
  Column projected(count, 0);
  for (std::size_t j = 0; j < count; ++j) {
    projected[j] = dot(q[j], rest);
    subtract(rest, projected[j], q[j]);
  }
  for (std::size_t j = count; j-- > 0;) {
    double value = projected[j];
    for (std::size_t k = j + 1; k < count; ++k) value -= r[j][k] * coefficients[chosen[k]];
    coefficients[chosen[j]] = r[j][j] > 0 ? value / r[j][j] : 0;
  }
  return coefficients;
}

Column residual_of(const std::vector<Column>& columns, const Column& coefficients,
                   const Column& target) {
  Column residual = target;
  for (std::size_t j = 0; j < columns.size(); ++j) subtract(residual, coefficients[j], columns[j]);
  return residual;
}

// Columns of length 1, so that bytes per frame and bytes compare.
std::vector<double> normalise(std::vector<Column>& columns) {
  std::vector<double> lengths;
  for (Column& column : columns) {
    const double length = norm(column);
    lengths.push_back(length);
    for (double& value : column) value = length > 0 ? value / length : 0;
  }
  return lengths;
}

}  // namespace

NonNegativeFit non_negative_least_squares(const std::vector<Column>& columns,
                                          const Column& target) {
  std::vector<Column> unit = columns;
  const std::vector<double> lengths = normalise(unit);
  const std::size_t count = unit.size();
  const double tolerance = 1e-13 * norm(target);
  Column x(count, 0);
  std::vector<std::size_t> passive;
  std::vector<bool> spent(count, false);  // entered and left at once: rounding
  const auto is_passive = [&](std::size_t j) {
    return std::find(passive.begin(), passive.end(), j) != passive.end();
  };
  for (std::size_t round = 0; round < 10 * count; ++round) {
    const Column residual = residual_of(unit, x, target);
    std::optional<std::size_t> best;
    double best_gradient = tolerance;
    for (std::size_t j = 0; j < count; ++j) {
      if (is_passive(j) || spent[j]) continue;
      const double gradient = dot(unit[j], residual);
      if (gradient > best_gradient) {
        best = j;
        best_gradient = gradient;
      }
    }
    if (!best) break;
    passive.push_back(*best);
    Column z = least_squares(unit, passive, target);
    if (z[*best] <= 0) {
      passive.pop_back();
      spent[*best] = true;
      continue;
    }
    spent.assign(count, false);
    // Back along the line from x to z until nothing is negative.
    while (std::any_of(passive.begin(), passive.end(), [&](std::size_t j) { return z[j] <= 0; })) {
      double step = 1;
      std::size_t blocking = 0;  // the first to reach 0; it leaves, whatever rounding says
      for (const std::size_t j : passive) {
        if (z[j] > 0) continue;
        const double to_zero = x[j] > 0 ? x[j] / (x[j] - z[j]) : 0;
        if (to_zero > step) continue;
        step = to_zero;
        blocking = j;
      }
      for (const std::size_t j : passive) x[j] += step * (z[j] - x[j]);
      std::erase_if(passive, [&](std::size_t j) {
        const bool leaves = j == blocking || (z[j] <= 0 && x[j] <= 1e-12 * norm(x));
        if (leaves) x[j] = 0;
        return leaves;
      });
      z = least_squares(unit, passive, target);
    }
    x = z;
  }
  NonNegativeFit fit{.coefficients = x, .residual_sum = 0};
  const Column residual = residual_of(unit, x, target);
  fit.residual_sum = dot(residual, residual);
  for (std::size_t j = 0; j < count; ++j)
    fit.coefficients[j] = lengths[j] > 0 ? x[j] / lengths[j] : 0;
  return fit;
}

double independence(const std::vector<Column>& columns) {
  std::vector<Column> others = columns;
  normalise(others);
  const Column last = others.back();
  others.pop_back();
  if (norm(last) <= 0) return 0;
  std::vector<std::size_t> all(others.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return norm(residual_of(others, least_squares(others, all, last), last));
}

double student_t_quantile(double p, int degrees_of_freedom) {
  constexpr double pi = 3.14159265358979323846;
  const double n = degrees_of_freedom;
  if (degrees_of_freedom <= 1) return std::tan(pi * (p - 0.5));
  if (degrees_of_freedom == 2) return 2 * (p - 0.5) * std::sqrt(2 / (4 * p * (1 - p)));
  // The normal quantile by Newton's method on erfc: p is given by the code, so
  // speed does not matter.
  double z = 0;
  for (int i = 0; i < 50; ++i) {
    const double excess = 0.5 * std::erfc(-z / std::sqrt(2.0)) - p;
    z -= excess / (std::exp(-z * z / 2) / std::sqrt(2 * pi));
  }
  const double z2 = z * z;
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + g1 / n + g2 / (n * n) + g3 / (n * n * n) + g4 / (n * n * n * n);
}

}  // namespace vcgpu
