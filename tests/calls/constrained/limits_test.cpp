#include "solve/limits.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tenon {
namespace {

// Forces may grow by what the share 1 / (1 + mu s) of the smallest sure eigenvalue s leaves to later evaluations.
TEST(Limits, ForcesThatGrowTooMuchAreStrained) {
  for (const double mu : {scheduled_mu_of_trees, scheduled_mu_of_clusters}) {
    const double growth = 1 + 1 / (mu * sure_eigenvalue);
    EXPECT_FALSE(strained(2 * 0.999 * growth, 2, mu));
    EXPECT_TRUE(strained(2 * 1.001 * growth, 2, mu));
    EXPECT_TRUE(strained(std::numeric_limits<double>::quiet_NaN(), 2, mu));
  }
  EXPECT_FALSE(strained(0, 0, scheduled_mu_of_trees));
}

}  // namespace
}  // namespace tenon
