// The inverse of a small positive definite matrix (kernels/delassus/dense_inverse.hpp) and what is done with it, of all
// sizes of its tiles, against Eigen.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "spatial/lanes.hpp"
#include "support/largest.hpp"
#include "support/random_mechanism.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The lower triangle of A + diag(damping) as kernels take it, and its inverse.
struct Problem {
  Problem(Random& random, int n)
      : n(n),
        s(whole_packs(n)),
        lower(MatrixXd::Zero(s, s)),
        damping(VectorXd::Zero(s)),
        X(MatrixXd::Zero(s, s)) {
    const MatrixXd B = MatrixXd::NullaryExpr(n, n, [&] { return random.uniform(-1, 1); });
    lower.topLeftCorner(n, n) = (B * B.transpose()).triangularView<Eigen::Lower>();
    damping.head(n).setConstant(0.1);
  }
  bool invert() {
    std::vector<double> scratch(static_cast<std::size_t>(s * (s + 8)),
                                std::numeric_limits<double>::quiet_NaN());
    return table.invert_dense(lower.data(), damping.data(), n, s, X.data(), scratch.data());
  }
  MatrixXd matrix() const {
    MatrixXd A = MatrixXd(lower.topLeftCorner(n, n)).selfadjointView<Eigen::Lower>();
    A.diagonal() += damping.head(n);
    return A;
  }
  MatrixXd inverse() const { return MatrixXd(X.topLeftCorner(n, n)).selfadjointView<Eigen::Lower>(); }

  const KernelTable<double>& table = kernels<double>();
  int n, s;
  MatrixXd lower;
  VectorXd damping;
  MatrixXd X;
};

constexpr int most_rows = 41;

TEST(DenseInverse, InvertsAndMultiplies) {
  Random random(1);
  for (int n = 1; n <= most_rows; ++n) {
    SCOPED_TRACE(n);
    Problem p(random, n);
    ASSERT_TRUE(p.invert());
    EXPECT_LE(largest(p.matrix() * p.inverse() - MatrixXd::Identity(n, n)), 1e-11);
    VectorXd x = VectorXd::Zero(p.s), y(p.s);
    x.head(n).setLinSpaced(-1, 2);
    p.table.multiply_symmetric(p.X.data(), p.s, x.data(), y.data());
    EXPECT_LE(largest(y.head(n) - p.inverse() * x.head(n)), 1e-11);
  }
}

TEST(DenseInverse, FindsThePivotThatIsNotPositive) {
  Random random(2);
  for (int n = 1; n <= most_rows; ++n)
    for (int i = 0; i < n; ++i) {
      Problem p(random, n);
      p.lower(i, i) = -p.damping[i];
      EXPECT_FALSE(p.invert()) << n << ", " << i;
    }
}

TEST(DenseInverse, FindsANumberThatIsNotFinite) {
  Random random(3);
  for (int n = 1; n <= most_rows; ++n) {
    Problem p(random, n);
    p.lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
    p.lower(n - 1, 0) = std::numeric_limits<double>::max();
    EXPECT_TRUE(std::isfinite(p.table.finite_sum(p.lower.data(), n))) << n;
    for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      for (int j = 0; j < n; ++j) {
        const double kept = p.lower(n - 1, j);
        p.lower(n - 1, j) = x;
        EXPECT_FALSE(std::isfinite(p.table.finite_sum(p.lower.data(), n))) << n << ", " << j;
        p.lower(n - 1, j) = kept;
      }
  }
}

}  // namespace
}  // namespace tenon::testing
