// That the maxima of tests keep NaN, wherever it stands.
#include "support/largest.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

namespace tenon::testing {
namespace {

TEST(Largest, KeepsNaN) {
  for (int at = 0; at < 9; ++at) {
    Eigen::Matrix3d matrix = Eigen::Matrix3d::Random();
    EXPECT_EQ(largest(matrix), matrix.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    std::vector<double> x(matrix.data(), matrix.data() + 9), y = x;
    EXPECT_EQ(largest(x), largest(matrix));
    EXPECT_EQ(largest_difference(x, y), 0);
    y[static_cast<std::size_t>(at)] = matrix(at) = std::nan("");
    EXPECT_TRUE(std::isnan(largest(matrix)));
    EXPECT_TRUE(std::isnan(largest(2 * matrix - matrix.transpose())));
    EXPECT_TRUE(std::isnan(largest(y)));
    EXPECT_TRUE(std::isnan(largest_difference(x, y)));
    EXPECT_FALSE(largest_difference(y, x) <= 1e300);
  }
  EXPECT_EQ(largest_difference<double>({1}, {1, 2}), HUGE_VAL);
  EXPECT_EQ(largest(std::vector<double>{-3, 2}), 3);
}

}  // namespace
}  // namespace tenon::testing
