// Configurations that callers hand in or get back: quaternions of any size, whole turns, loops that stay open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "model/small_mechanisms.hpp"
#include "support/loop_scene.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

std::shared_ptr<const Model> one_joint(JointType type) {
  Mechanism mechanism;
  mechanism.links = {solid_link("base"), solid_link("body")};
  mechanism.joints = {joint_between("joint", type, "base", "body")};
  return Model::compile(mechanism, {});
}

TEST(Normalize, TakesEverySizeButZero) {
  Workspace w(one_joint(JointType::spherical));
  for (const double size : {1e308, 1e200, 2.0, 1e-7, 1e-160, 1e-300, std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::denorm_min()}) {
    double q[4] = {size, 0, -size, 0};
    ASSERT_EQ(normalize(w, q), Status::ok) << size << w.message();
    EXPECT_NEAR(q[0], std::sqrt(0.5), 1e-15) << size;
    EXPECT_NEAR(q[2], -std::sqrt(0.5), 1e-15) << size;
    EXPECT_EQ(q[1], 0);
    EXPECT_EQ(q[3], 0);
  }
  double zero[4] = {0, -0.0, 0, 0};
  EXPECT_EQ(normalize(w, zero), Status::not_normalized);
}

TEST(SpanningPositions, RefuseWhatIsNoOrientation) {
  Workspace w(one_joint(JointType::floating));
  double y[7] = {0, 0, 0, 0, 0, 0, 2}, q[7] = {7, 7, 7, 7, 7, 7, 7};
  EXPECT_EQ(spanning_positions(w, y, nullptr, q), Status::not_normalized);
  EXPECT_EQ(std::count(q, q + 7, 7.0), 7);
  y[6] = 1;
  EXPECT_EQ(spanning_positions(w, y, nullptr, q), Status::ok);
  EXPECT_TRUE(std::equal(y, y + 7, q));
}

// With embedded loops elsewhere, the quaternion is not where it stands in q.
TEST(SpanningPositions, RefuseIndependentQuaternionsThatAreNone) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/cassie.urdf"), options);
  Workspace w(model);
  std::vector<double> q(static_cast<std::size_t>(model->nq)), y(model->loops.independent_q.size()), back = q;
  ASSERT_EQ(guess(w, q.data()), Status::ok);
  ASSERT_EQ(independent_positions(w, q.data(), y.data()), Status::ok);
  ASSERT_EQ(spanning_positions(w, y.data(), nullptr, back.data()), Status::ok) << w.message();
  y[6] = 2;
  back.assign(back.size(), 7);
  EXPECT_EQ(spanning_positions(w, y.data(), q.data(), back.data()), Status::not_normalized);
  EXPECT_EQ(back, std::vector<double>(back.size(), 7));
}

TEST(Difference, OfAPlanarJointTakesTheShortWay) {
  Workspace w(one_joint(JointType::planar));
  const double turn = 6.283185307179586;
  for (const double angle : {turn, -turn, 3 * turn, turn - 1e-9, 3.0, -3.0, 3.2, 5.0, 1e-3, 1e5 * turn + 1}) {
    const double from[3] = {0.1, -0.2, 0.3}, to[3] = {1, 2, 0.3 + angle};
    double v[3], reached[3];
    ASSERT_EQ(difference(w, from, to, v), Status::ok);
    EXPECT_LE(std::abs(v[0]), turn / 2);
    EXPECT_LE(std::hypot(v[1], v[2]), 4) << angle;  // at half a turn the way is an arc of pi / 2
    ASSERT_EQ(integrate(w, from, v, 1, reached), Status::ok);
    EXPECT_NEAR(reached[0], to[0], 1e-9);
    EXPECT_NEAR(reached[1], to[1], 1e-9);
    EXPECT_NEAR(std::remainder(reached[2] - to[2], turn), 0, 1e-9);
  }
}

// The way of a body that moves on while it turns, against the same formulas in long double, around the angle
// where series end: 1 - cos a has lost four digits there.
TEST(Integrate, KeepsItsDigitsAtSmallAngles) {
  Workspace planar(one_joint(JointType::planar)), floating(one_joint(JointType::floating));
  for (double a = 1e-3; a < 4; a *= 1.03) {
    const auto x = static_cast<long double>(a);
    const auto s = static_cast<double>(std::sin(x) / x),
               c = static_cast<double>(2 * std::sin(x / 2) * std::sin(x / 2) / x);
    const double q[3] = {0, 0, 0}, v[3] = {a, 1, 0};
    double next[3];
    ASSERT_EQ(integrate(planar, q, v, 1, next), Status::ok);
    EXPECT_NEAR(next[0], s, 3e-16 * std::abs(s) + 1e-16) << a;
    EXPECT_NEAR(next[1] / c, 1, 1e-15) << a;
    const double q6[7] = {0, 0, 0, 0, 0, 0, 1}, v6[6] = {0, 0, a, 1, 0, 0};
    double next6[7];
    ASSERT_EQ(integrate(floating, q6, v6, 1, next6), Status::ok);
    EXPECT_NEAR(next6[1] / c, 1, 1e-15) << a;
  }
}

// The function of a constraint gives up beyond 1 rad.
std::shared_ptr<const Model> with_a_border() {
  Mechanism mechanism = load_urdf(TENON_MODELS_DIR "/four_bar.urdf");
  const std::string base = mechanism.links.front().name;
  for (const char* name : {"x", "y"}) {
    mechanism.links.push_back(solid_link(name));
    mechanism.joints.push_back(joint_between(std::string("j") + name, JointType::continuous, base, name));
  }
  mechanism.joints.back().independent = false;
  MechanismImplicit equal;
  equal.name = "equal";
  equal.joints = {"jx", "jy"};
  equal.rows = 1;
  equal.evaluate = [](const double* q, const double*, double* phi, double* K, double* Kdot_v) {
    phi[0] = q[0] > 1 ? NAN : q[0] - q[1];
    K[0] = 1, K[1] = -1, Kdot_v[0] = 0;
  };
  mechanism.implicits.push_back(equal);
  return Model::compile(mechanism, {});
}

TEST(CloseLoops, LeavesPositionsWhereItFails) {
  const auto model = with_a_border();
  Workspace w(model);
  for (const LoopMoves moves : {LoopMoves::dependent, LoopMoves::all}) {
    std::vector<double> q(static_cast<std::size_t>(model->nq));
    ASSERT_EQ(guess(w, q.data()), Status::ok);
    for (const Model::Joint& joint : model->joints) {
      double& x = q[static_cast<std::size_t>(joint.q_index)];
      x = joint.name == "jx" ? 2 : x + 0.1;
    }
    const std::vector<double> before = q;
    double gap = 7;
    EXPECT_EQ(close_loops(w, moves, q.data(), &gap), Status::not_finite);
    EXPECT_NE(std::string(w.message()).find("equal"), std::string::npos) << w.message();
    EXPECT_EQ(q, before);
    EXPECT_EQ(gap, 7);
  }
}

// On an open loop the dependent joints may be told to turn a million times; their angles are ordinary numbers all
// the same.
TEST(Integrate, OfIndependentVelocitiesSaysThatLoopsAreOpen) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/cassie.urdf"), options);
  Workspace spanning(model), w(model);
  ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
  Random random(1);
  int open = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<double> q(static_cast<std::size_t>(model->nq)), next = q,
                                                                v(static_cast<std::size_t>(model->ny));
    random_configuration(*model, seed, q.data());
    open += close_loops(spanning, LoopMoves::dependent, q.data(), nullptr) == Status::infeasible;
    for (double& x : v) x = random.uniform(-0.1, 0.1);
    const Status status = integrate(w, q.data(), v.data(), 1, next.data());
    EXPECT_TRUE(status == Status::ok || status == Status::open_loop ||
                status == Status::singular_configuration)
        << seed << " " << w.message();
  }
  EXPECT_GT(open, 100);
}

}  // namespace
}  // namespace tenon::testing
