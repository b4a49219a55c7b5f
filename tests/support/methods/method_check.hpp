// Every method of constrained dynamics on scenes of every kind, against the reference.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "support/constrained_scene.hpp"

namespace tenon::testing {

using MethodAndKind = std::tuple<Method, SceneKind>;
// Of a parameterised test: "pv_early_Redundant".
std::string name_of(const ::testing::TestParamInfo<MethodAndKind>& test);

// What the scenes of one test were like.
struct MethodTally {
  int ill_posed = 0, infeasible = 0, redundant = 0;
};

// An answer against that of s.solve_reference(). slack loosens the tolerance where the problem is not well posed.
// multipliers: also these, where rows are independent.
void expect_solution(const ConstrainedScene& s, const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                     double slack, bool multipliers);

// Solves and compares accelerations, the force of the rows on the joints, and the status. strict: the status
// where the answer itself is uncertain too, and the multipliers where rows are independent.
void check_method(ConstrainedScene& s, Method method, int seed, bool strict, MethodTally& tally);

}  // namespace tenon::testing
