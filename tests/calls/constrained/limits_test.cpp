#include "solve/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

// Two steps tell the factor by which each shrinks the error; a small error that shrinks slowly leaves too much.
TEST(RefinedMotion, IsJudgedByTheFactorOfItsSteps) {
  RefinedMotion motion;
  EXPECT_FALSE(motion.holds(1e-5)) << "nothing was refined";
  motion.add(0.9e-5);
  EXPECT_TRUE(motion.holds(1e-5)) << "the first error is the factor";
  RefinedMotion slow;
  slow.add(1e-3);
  EXPECT_FALSE(slow.holds(1e-5));
  slow.add(0.9e-5);
  EXPECT_NEAR(slow.factor(), 0.9e-2, 1e-12);
  EXPECT_FALSE(slow.holds(1e-5)) << "it leaves 8e-8";
  slow.add(1e-7);
  slow.add(1e-9);
  EXPECT_TRUE(slow.holds(1e-5));
  slow.add(0);
  slow.add(0);
  EXPECT_TRUE(slow.holds(1e-5));
  slow.add(std::nan(""));
  EXPECT_FALSE(slow.holds(1e-5));
}

}  // namespace
}  // namespace tenon
