#include "estimate/least_squares.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/random_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

TEST_CASE("what is a sum of columns is found exactly") {
  const NonNegativeFit fit =
      non_negative_least_squares({{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 4, 9, 16}}, {6, 15, 30, 51});
  // 3 + 0 x + 3 x^2
  CHECK(fit.coefficients[0] == Approx(3));
  CHECK(fit.coefficients[1] == Approx(0).margin(1e-9));
  CHECK(fit.coefficients[2] == Approx(3));
  CHECK(fit.residual_sum == Approx(0).margin(1e-18));
}

TEST_CASE("a coefficient that would be negative is zero, and the others are fitted without it") {
  // The line through (0, -1) and (1, 1), (2, 3): without its intercept the
  // slope is (1*1 + 2*3) / (1 + 4) = 1.4.
  const NonNegativeFit fit = non_negative_least_squares({{1, 1, 1}, {0, 1, 2}}, {-1, 1, 3});
  CHECK(fit.coefficients[0] == 0);
  CHECK(fit.coefficients[1] == Approx(1.4));
  CHECK(fit.residual_sum == Approx(1 + 0.16 + 0.04));
}

TEST_CASE("a target that no positive sum reaches gives zeros") {
  const NonNegativeFit fit = non_negative_least_squares({{1, 1}, {1, 2}}, {-3, -1});
  CHECK(fit.coefficients == std::vector<double>{0, 0});
  CHECK(fit.residual_sum == Approx(10));
}

TEST_CASE("columns of very different size are fitted alike") {
  const NonNegativeFit fit =
      non_negative_least_squares({{1e-6, 1e-6, 1e-6}, {1e9, 2e9, 5e9}}, {3, 5, 11});
  CHECK(fit.coefficients[0] == Approx(1e6));
  CHECK(fit.coefficients[1] == Approx(2e-9));
}

TEST_CASE("parallel columns do no harm") {
  const NonNegativeFit fit =
      non_negative_least_squares({{1, 2, 3}, {2, 4, 6}, {0, 0, 0}}, {2, 4, 6});
  CHECK(fit.coefficients[0] + 2 * fit.coefficients[1] == Approx(2));
  CHECK(fit.coefficients[2] == 0);
}

TEST_CASE("no other non-negative coefficients fit better") {
  Random random(1974);
  for (int round = 0; round < 300; ++round) {
    std::vector<Column> columns;
    Column target;
    for (int i = 0; i < 6; ++i) target.push_back(random.between(-1, 2));
    for (int j = 0; j < 4; ++j) {
      columns.emplace_back();
      for (int i = 0; i < 6; ++i) columns.back().push_back(random.between(-0.5, 1));
    }
    const NonNegativeFit fit = non_negative_least_squares(columns, target);
    // The conditions of Karush, Kuhn and Tucker: no gradient at what is
    // positive, none upwards at what is zero.
    for (std::size_t j = 0; j < columns.size(); ++j) {
      CAPTURE(round, j, fit.coefficients[j]);
      double gradient = 0;
      for (std::size_t i = 0; i < target.size(); ++i) {
        double residual = target[i];
        for (std::size_t k = 0; k < columns.size(); ++k)
          residual -= fit.coefficients[k] * columns[k][i];
        gradient += columns[j][i] * residual;
      }
      CHECK(fit.coefficients[j] >= 0);
      if (fit.coefficients[j] > 0)
        CHECK(gradient == Approx(0).margin(1e-9));
      else
        CHECK(gradient <= 1e-9);
    }
  }
}

TEST_CASE("independence is the sine of the angle to the other columns") {
  CHECK(independence({{1, 0}, {1, 1}}) == Approx(std::sqrt(0.5)));
  CHECK(independence({{1, 1}, {2, 2}}) == Approx(0).margin(1e-12));
  CHECK(independence({{1, 1}, {0, 0}}) == 0);
}

TEST_CASE("Student's quantiles are those of the tables") {
  // Abramowitz and Stegun, table 26.10.
  CHECK(student_t_quantile(0.95, 1) == Approx(6.314).epsilon(1e-3));
  CHECK(student_t_quantile(0.95, 2) == Approx(2.920).epsilon(1e-3));
  CHECK(student_t_quantile(0.95, 5) == Approx(2.015).epsilon(1e-3));
  CHECK(student_t_quantile(0.975, 1) == Approx(12.706).epsilon(1e-3));
  CHECK(student_t_quantile(0.975, 3) == Approx(3.182).epsilon(3e-3));
  CHECK(student_t_quantile(0.975, 10) == Approx(2.228).epsilon(1e-3));
  CHECK(student_t_quantile(0.95, 100000) == Approx(1.645).epsilon(1e-3));
}
