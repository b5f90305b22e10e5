// Least squares with coefficients that are not negative, for a handful of
// columns: memory terms cannot be negative, because more batch or longer clips
// never need less.
//
// Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, over a
// QR decomposition by modified Gram-Schmidt. Eigen has the same algorithm, but
// not in the version that Debian packages (3.4), and its dense solvers are a
// large header for problems of four columns.
#pragma once

#include <cstddef>
#include <vector>

namespace vcgpu {

using Column = std::vector<double>;

struct NonNegativeFit {
  std::vector<double> coefficients;  // one for each column, none below 0
  double residual_sum = 0;           // of squares
};

// The x >= 0 that minimises |sum of x_j columns_j - target|. All columns are
// as long as `target`; linearly dependent ones are tolerated, one of them then
// gets all.
NonNegativeFit non_negative_least_squares(const std::vector<Column>& columns, const Column& target);

// How much of the last column is not a combination of the others, 0 to 1: the
// sine of its angle to them. Near 0 its coefficient cannot be told from theirs.
double independence(const std::vector<Column>& columns);

// The quantile of Student's t distribution; 0.5 < p < 1, at least one degree
// of freedom. Exact for one and two, else Abramowitz and Stegun 26.7.5, within
// 0.3 % for p up to 0.975.
double student_t_quantile(double p, int degrees_of_freedom);

}  // namespace vcgpu
