// Counts of robots small enough to count by hand, and what counts must obey.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/small_mechanisms.hpp"
#include "tenon/urdf.hpp"
#include "tenonx/trace.hpp"

namespace tenon {
namespace {

// Links hanging down z from hinges about x, one below the other.
Mechanism pendulum(int links) {
  Mechanism m;
  m.name = "pendulum";
  m.source = "text";
  m.links.push_back({"base", 0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}});
  for (int i = 0; i < links; ++i) {
    const std::string name = "link_" + std::to_string(i);
    m.links.push_back({name, 2, {0, 0, -0.3}, {0.1, 0, 0, 0.1, 0, 0.02}});
    MechanismJoint joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = m.links[m.links.size() - 2].name;
    joint.child = name;
    joint.axis = {1, 0, 0};
    if (i > 0) joint.origin.translation = {0, 0, -0.6};
    m.joints.push_back(joint);
  }
  return m;
}

OperationCounts count(const Mechanism& m, const char* algorithm) {
  return count_operations(*Model::compile(m), nullptr, algorithm);
}

// tau = I a + h (g sin q), I and h about the hinge, both constant.
TEST(Count, RneaOfAPendulum) {
  const OperationCounts c = count(pendulum(1), "rnea");
  EXPECT_EQ(c.additions, 1u);
  EXPECT_EQ(c.multiplications, 3u);
  EXPECT_EQ(c.sines, 1u);
  EXPECT_EQ(c.total(), 5u);
}

// qdd = (1 / I) (tau - h (g sin q)).
TEST(Count, AbaOfAPendulum) {
  const OperationCounts c = count(pendulum(1), "aba");
  EXPECT_EQ(c.additions, 1u);
  EXPECT_EQ(c.multiplications, 3u);
  EXPECT_EQ(c.sines, 1u);
  EXPECT_EQ(c.total(), 5u);
}

TEST(Count, MassMatrixOfAPendulumIsConstant) {
  EXPECT_EQ(count(pendulum(1), "crba").total(), 0u);
}

// Second link: the sine and cosine of q1 + q2 by the addition theorems (4 products, 2 sums), its origin at
// 0.6 times sine and cosine of q1 (2 products).
TEST(Count, PosesOfADoublePendulum) {
  const OperationCounts c = count(pendulum(2), "kinematics");
  EXPECT_EQ(c.additions, 2u);
  EXPECT_EQ(c.multiplications, 6u);
  EXPECT_EQ(c.sines, 2u);
  EXPECT_EQ(c.cosines, 2u);
  EXPECT_EQ(c.total(), 12u);
}

// g sin q1 for the first link's frame; its turning by q2 for the second's: sin q2, cos q2.
TEST(Count, BiasOfADoublePendulumHasAllItsSines) {
  const OperationCounts c = count(pendulum(2), "bias");
  EXPECT_EQ(c.sines, 2u);
  EXPECT_EQ(c.cosines, 2u);
  EXPECT_EQ(c.divisions, 0u);
}

TEST(Count, GrowsByTheSameForEveryLinkOfAChain) {
  for (const char* algorithm : {"rnea", "aba"}) {
    const std::size_t a = count(pendulum(5), algorithm).total(), b = count(pendulum(6), algorithm).total(),
                      c = count(pendulum(7), algorithm).total();
    EXPECT_EQ(c - b, b - a) << algorithm;
  }
}

TEST(Count, DivisionsOfAbaAreThoseOfItsPivots) {
  // The last joint's pivot is constant.
  EXPECT_EQ(count(pendulum(4), "aba").divisions, 3u);
}

TEST(Count, IterationsAddTheSame) {
  const auto model = Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/iiwa14.urdf"));
  const auto set = ConstraintSet::bind(model, {weld_constraint(model->find_link("iiwa_link_7"), {})});
  for (const char* algorithm : {"constrained_aba", "prox_pv", "prox_ltl", "prox_ltls"}) {
    std::size_t totals[3];
    for (int i = 0; i < 3; ++i) {
      TraceOptions options;
      options.iterations = 2 + i;
      totals[i] = count_operations(*model, set.get(), algorithm, options).total();
    }
    EXPECT_GT(totals[1], totals[0]) << algorithm;
    EXPECT_EQ(totals[2] - totals[1], totals[1] - totals[0]) << algorithm;
  }
}

// From a fork the rows travel or six coordinates, whichever is less: twelve rows past a floating base alone,
// as pv_osim has them; but twelve rows of a foot up a leg by its coordinates.
TEST(Count, PvOsimrSendsWhatIsLess) {
  CompileOptions options;
  options.floating_base = true;
  const auto atlas = Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/atlas.urdf"), options);
  std::vector<ConstraintSpec> welds, corners;
  for (const char* name : {"l_foot", "r_foot"}) {
    const int foot = atlas->find_link(name);
    ASSERT_GE(foot, 0);
    welds.push_back(weld_constraint(foot, {}));
    for (const double x : {0.17, -0.09})
      for (const double y : {0.06, -0.07}) corners.push_back(point_constraint(foot, {x, y + 0.1 * x, -0.08}));
  }
  const auto total = [&](const std::vector<ConstraintSpec>& specs, const char* algorithm) {
    return count_operations(*atlas, ConstraintSet::bind(atlas, specs).get(), algorithm).total();
  };
  EXPECT_EQ(total(welds, "pv_osimr"), total(welds, "pv_osim"));
  EXPECT_LT(total(corners, "pv_osimr"), total(corners, "pv_osim"));
}

TEST(Count, RefusesWhatItCannotRecord) {
  const auto model = Model::compile(testing::two_link_arm());
  testing::expect_error(Status::not_found, {"'abba'", "rnea", "constrained_aba"},
                        [&] { count_operations(*model, nullptr, "abba"); });
  testing::expect_error(Status::invalid_argument, {"'pv'", "constraint rows"},
                        [&] { count_operations(*model, nullptr, "pv"); });
  TraceOptions options;
  options.iterations = 0;
  testing::expect_error(Status::invalid_argument, {"iterations"},
                        [&] { count_operations(*model, nullptr, "aba", options); });
  options = {};
  options.mu = -1;
  testing::expect_error(Status::invalid_argument, {"mu"},
                        [&] { count_operations(*model, nullptr, "aba", options); });
  const auto world = ConstraintSet::bind(model, {point_constraint(0, {0, 0, 0})});
  testing::expect_error(Status::unsupported, {"part of the world"},
                        [&] { count_operations(*model, world.get(), "pv"); });
  const auto other = Model::compile(testing::two_link_arm());
  const auto set = ConstraintSet::bind(other, {point_constraint(2, {0, 0, 0})});
  testing::expect_error(Status::invalid_argument, {"another model"},
                        [&] { count_operations(*model, set.get(), "pv"); });
  const auto many =
      ConstraintSet::bind(model, std::vector<ConstraintSpec>(6, point_constraint(2, {0, 0, 0})));
  testing::expect_error(Status::unsupported, {"16 rows", "prox_pv"},
                        [&] { count_operations(*model, many.get(), "pv_early"); });
}

}  // namespace
}  // namespace tenon
