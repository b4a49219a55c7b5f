// Models with kinematic loops: the split into independent and dependent coordinates, maps between them, and
// dynamics by every method against the spanning tree with multipliers.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/methods/loop_methods.hpp"
#include "support/moving.hpp"
#include "support/oracle.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int mechanisms = std::max(15, test_robots() / 25);

// K, k, G, g and phi at a state.
struct Split {
  Split(Workspace& w, const VectorXd& q, const VectorXd& v)
      : K(w.model().data().loop_row_count, w.model().nv),
        G(w.model().nv, w.model().ny),
        k(K.rows()),
        phi(K.rows()),
        g(w.model().nv) {
    EXPECT_EQ(
        loop_jacobian(w, q.data(), v.data(), K.data(), static_cast<int>(K.rows()), k.data(), phi.data()),
        Status::ok);
    status = loop_map(w, q.data(), v.data(), G.data(), w.model().nv, g.data());
  }
  MatrixXd K, G;
  VectorXd k, phi, g;
  Status status;
};

TEST(Loops, RandomMechanismsCompile) {
  int ties = 0, refused = 0, clusters = 0;
  for (int seed = 0; seed < mechanisms; ++seed) {
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 10);
    ties += static_cast<int>(scene.mechanism.loops.size() + scene.mechanism.gears.size() +
                             scene.mechanism.couplings.size());
    refused += scene.refused;
    clusters += scene.model->data().cluster_count;
  }
  EXPECT_GT(ties, 3 * mechanisms);
  EXPECT_GE(clusters, mechanisms);
  // Mechanisms that are rigid but for special positions are hard to close from elsewhere.
  EXPECT_LT(refused, ties / 4);
}

TEST(Loops, SplitSatisfiesTheConstraints) {
  for (int seed = 0; seed < mechanisms; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 10);
    Workspace w(scene.model);
    Random random(static_cast<std::uint64_t>(seed) + 77);
    VectorXd v(scene.model->nv);
    const VectorXd ydot = random_vector(random, scene.model->ny);
    if (spanning_velocity(w, scene.q.data(), ydot.data(), v.data()) != Status::ok) continue;
    const Split s(w, scene.q, v);
    ASSERT_EQ(s.status, Status::ok) << w.message();
    const double size = std::max(1.0, s.G.size() ? largest(s.G) : 0);
    if (s.phi.size() == 0) continue;
    EXPECT_LE(largest(s.phi), 1e-9);
    EXPECT_TRUE(s.G.size() == 0 || largest(s.K * s.G) <= 1e-9 * size);
    EXPECT_LE(largest(s.K * v), 1e-9 * size);
    EXPECT_LE(largest(s.K * s.g - s.k), 1e-8 * std::max(1.0, largest(s.g)) * size);
  }
}

// phi changes at the rate K v and K v at the rate K vdot - k, wherever the loops are open.
TEST(Loops, DerivativesOfTheConstraints) {
  for (int seed = 0; seed < mechanisms; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 10);
    Workspace w(scene.model);
    Random random(static_cast<std::uint64_t>(seed) + 5);
    VectorXd q(scene.model->nq), ahead(q.size()), behind(q.size());
    random_configuration(*scene.model, static_cast<std::uint64_t>(seed), q.data());
    const VectorXd v = random_vector(random, scene.model->nv);
    constexpr double h = 1e-5;
    ASSERT_EQ(integrate(w, q.data(), v.data(), h, ahead.data()), Status::ok);
    ASSERT_EQ(integrate(w, q.data(), v.data(), -h, behind.data()), Status::ok);
    // v is constant in the coordinates of the joints, so along this path qdd = 0.
    const Split at(w, q, v), plus(w, ahead, v), minus(w, behind, v);
    if (at.phi.size() == 0) continue;
    EXPECT_LE(largest((plus.phi - minus.phi) / (2 * h) - at.K * v), 1e-6);
    EXPECT_LE(largest((plus.K * v - minus.K * v) / (2 * h) + at.k), 1e-6);
  }
}

// Along a motion on the constraint, G u changes as g says for u = ydot.
TEST(Loops, DerivativeOfTheMap) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "cassie"}) {
    SCOPED_TRACE(name);
    const LoopScene scene = model_scene(name, std::string(name) == "cassie");
    Workspace w(scene.model);
    Random random(3);
    const VectorXd ydot = random_vector(random, scene.model->ny);
    VectorXd v(scene.model->nv), g(v.size()), there(v.size());
    ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok);
    ASSERT_EQ(loop_map(w, scene.q.data(), v.data(), nullptr, 0, g.data()), Status::ok);
    VectorXd slope = VectorXd::Zero(v.size());
    constexpr double h = 1e-5;
    for (const double sign : {1.0, -1.0}) {
      VectorXd q = scene.q;
      ASSERT_EQ(integrate(w, scene.q.data(), v.data(), sign * h, q.data()), Status::ok);
      ASSERT_EQ(close_loops(w, LoopMoves::dependent, q.data(), nullptr), Status::ok) << w.message();
      ASSERT_EQ(spanning_velocity(w, q.data(), ydot.data(), there.data()), Status::ok);
      slope += sign * there / (2 * h);
    }
    EXPECT_LE((slope - g).norm(), 1e-5 * std::max(1.0, g.norm()));
  }
}

TEST(Loops, ForwardDynamicsMatchesMultipliers) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 10);
    Workspace w(scene.model);
    Random random(static_cast<std::uint64_t>(seed) + 11);
    const State state = random_state(random, *scene.model);
    const VectorXd tau = Eigen::Map<const VectorXd>(state.tau.data(), scene.model->nv);
    VectorXd v(scene.model->nv), qdd(v.size());
    const VectorXd ydot = random_vector(random, scene.model->ny);
    if (spanning_velocity(w, scene.q.data(), ydot.data(), v.data()) != Status::ok) continue;
    const VectorXd expected = multiplier_accelerations(scene, {}, scene.q, v, tau, state.wrenches.data());
    ++compared;
    const double size = std::max(1.0, expected.norm());
    for_exact_loop_methods(w, scene.q, v, tau, state.wrenches.data(), [&](const VectorXd& found) {
      EXPECT_LE((found - expected).norm(), 1e-8 * size);
      qdd = found;
    });
    // ID(FD(tau)) = tau on the independent coordinates.
    VectorXd yddot(scene.model->ny), tau_y(yddot.size()), back(yddot.size());
    ASSERT_EQ(independent_velocity(w, qdd.data(), yddot.data()), Status::ok);
    ASSERT_EQ(independent_force(w, scene.q.data(), tau.data(), tau_y.data()), Status::ok);
    ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
    ASSERT_EQ(inverse_dynamics(
                  w, {scene.q.data(), ydot.data(), nullptr, state.wrenches.data(), nullptr, yddot.data()},
                  back.data()),
              Status::ok);
    EXPECT_LE((back - tau_y).norm(), 1e-7 * std::max(1.0, back.norm() + size));
  }
  EXPECT_GT(compared, mechanisms * 3 / 4);
}

TEST(Loops, DenseWithContactsMatchesMultipliers) {
  for (const auto& [name, first, second] : {std::tuple("mini_cheetah", "FR_knee_link", "HL_knee_link"),
                                            std::tuple("mit_humanoid", "left_ankle_link", "right_knee_link"),
                                            std::tuple("jvrc1", "left-ankle-pitch", "right-ankle-pitch")}) {
    SCOPED_TRACE(name);
    const LoopScene scene = model_scene(name, true);
    Random random(8);
    std::vector<ConstraintSpec> contacts = {point_constraint(scene.model->find_link(first), {0.05, 0, -0.1}),
                                            point_constraint(scene.model->find_link(second), {-0.05, 0, 0})};
    Workspace w(scene.model, ConstraintSet::bind(scene.model, contacts));
    const VectorXd tau = random_vector(random, scene.model->nv, 10);
    VectorXd v(scene.model->nv), qdd(v.size());
    const VectorXd ydot = random_vector(random, scene.model->ny);
    ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok);
    ASSERT_EQ(constrained_dynamics(w, {}, {scene.q.data(), v.data(), tau.data()}, qdd.data(), nullptr),
              Status::ok)
        << w.message();
    const VectorXd expected = multiplier_accelerations(scene, contacts, scene.q, v, tau, nullptr);
    EXPECT_LE((qdd - expected).norm(), 1e-8 * expected.norm());
  }
}

// Forward dynamics of another model of four_bar are those of its loop.
void expect_parallelogram(const std::shared_ptr<const Model>& loop, Workspace& other, double tolerance) {
  Workspace w(loop);
  const VectorXd q = (VectorXd(3) << 0.6, -0.6, 0.6).finished(), v = (VectorXd(3) << 2, -2, 2).finished();
  const VectorXd tau = (VectorXd(3) << 1, 0.5, -3).finished();
  VectorXd expected(3);
  ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, expected.data()), Status::ok);
  for_exact_loop_methods(other, q, v, tau, nullptr, [&](const VectorXd& qdd) {
    EXPECT_LE((qdd - expected).norm(), tolerance * expected.norm());
  });
}

// A parallelogram moves as a coupling of its joints by 1 and -1 does.
TEST(Loops, FourBarAsLoopAndAsCoupling) {
  const LoopScene loop = model_scene("four_bar", false);
  Mechanism mechanism = loop.mechanism;
  mechanism.loops.clear();
  mechanism.couplings.push_back({"parallel", {"joint2", "joint3"}, {"joint1"}, {-1, 1}, {}});
  const LoopScene coupled = loop_scene(mechanism, {});
  Workspace w(coupled.model);
  expect_parallelogram(loop.model, w, 1e-12);
}

// The same loop by the user's function.
TEST(Loops, FourBarByCallback) {
  const LoopScene loop = model_scene("four_bar", false);
  Mechanism mechanism = loop.mechanism;
  mechanism.loops.clear();
  MechanismImplicit closure;
  closure.name = "closure";
  closure.joints = {"joint1", "joint2", "joint3"};
  closure.rows = 2;
  closure.evaluate = [](const double* q, const double* v, double* phi, double* K, double* Kdot_v) {
    const double a = q[0], b = q[0] + q[1], c = q[2], da = v[0], db = v[0] + v[1], dc = v[2];
    phi[0] = 0.5 * std::cos(a) + std::cos(b) - 1 - 0.5 * std::cos(c);
    phi[1] = 0.5 * std::sin(a) + std::sin(b) - 0.5 * std::sin(c);
    K[2] = -std::sin(b), K[3] = std::cos(b);
    K[0] = -0.5 * std::sin(a) + K[2], K[1] = 0.5 * std::cos(a) + K[3];
    K[4] = 0.5 * std::sin(c), K[5] = -0.5 * std::cos(c);
    Kdot_v[0] = -0.5 * std::cos(a) * da * da - std::cos(b) * db * db + 0.5 * std::cos(c) * dc * dc;
    Kdot_v[1] = -0.5 * std::sin(a) * da * da - std::sin(b) * db * db + 0.5 * std::sin(c) * dc * dc;
  };
  mechanism.implicits.push_back(closure);
  const LoopScene called = loop_scene(mechanism, {});
  Workspace w(called.model);
  expect_parallelogram(loop.model, w, 1e-12);
}

TEST(Loops, DeadCentreIsAStatus) {
  const LoopScene scene = model_scene("four_bar", false);
  Workspace w(scene.model);
  const VectorXd zero = VectorXd::Zero(3);
  VectorXd qdd = VectorXd::Constant(3, 7);
  double gap = 1;
  ASSERT_EQ(loop_gap(w, zero.data(), &gap), Status::ok);
  EXPECT_LE(gap, 1e-15);
  EXPECT_EQ(forward_dynamics(w, {zero.data(), zero.data(), zero.data()}, qdd.data()),
            Status::singular_configuration);
  EXPECT_NE(std::string(w.message()).find("loop1"), std::string::npos) << w.message();
  EXPECT_EQ(qdd, VectorXd::Constant(3, 7));
}

TEST(Loops, ClosesFromFarStarts) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "cassie"}) {
    SCOPED_TRACE(name);
    const LoopScene scene = model_scene(name, false);
    Workspace w(scene.model);
    const VectorXd& closed = scene.q;
    VectorXd y(static_cast<Eigen::Index>(scene.model->loops.independent_q.size())), back(y.size());
    ASSERT_EQ(independent_positions(w, closed.data(), y.data()), Status::ok);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      VectorXd guess(closed.size()), q(closed.size());
      random_configuration(*scene.model, seed, guess.data());
      ASSERT_EQ(spanning_positions(w, y.data(), guess.data(), q.data()), Status::ok) << w.message();
      double gap = 1;
      ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
      EXPECT_LE(gap, 1e-11);
      ASSERT_EQ(independent_positions(w, q.data(), back.data()), Status::ok);
      EXPECT_EQ(back, y);
    }
    VectorXd q(closed.size());
    ASSERT_EQ(spanning_positions(w, y.data(), nullptr, q.data()), Status::ok);
    EXPECT_LE((q - closed).norm(), 1e-9);
  }
}

TEST(Loops, SaysWhenTheIndependentCoordinatesAreOutOfReach) {
  const LoopScene scene = model_scene("six_bar", false);
  Workspace w(scene.model);
  // Three bars of 0.6 m stretched away from two bars of 0.9 m that start at the same place reach; folded
  // against each other they do not.
  VectorXd q = VectorXd::Zero(5);
  q(1) = 3.141592653589793;
  double gap = 0;
  EXPECT_EQ(close_loops(w, LoopMoves::dependent, q.data(), &gap), Status::ok) << gap;
  Mechanism longer = scene.mechanism;
  for (MechanismJoint& joint : longer.joints)
    if (joint.name == "joint5") joint.origin.translation[0] = 0.8;
  const LoopScene stiff = loop_scene(longer, {});
  Workspace tight(stiff.model);
  q.setZero();
  q(1) = q(2) = 2.0943951023931953;  // the end of the three bars near where they start
  EXPECT_EQ(close_loops(tight, LoopMoves::dependent, q.data(), &gap), Status::infeasible);
  EXPECT_GT(gap, 1e-3);
  EXPECT_NE(std::string(tight.message()).find("could not be closed"), std::string::npos);
}

TEST(Loops, FindsBothWaysToAssembleAFourBar) {
  const LoopScene scene = model_scene("four_bar", false);
  Workspace w(scene.model);
  const VectorXd q = (VectorXd(3) << 0.6, -0.6, 0.6).finished();
  MatrixXd found(3, 5);
  int count = 0;
  ASSERT_EQ(find_assemblies(w, q.data(), 40, 5, found.data(), &count), Status::ok);
  ASSERT_EQ(count, 2);
  EXPECT_LE((found.col(0) - q).norm(), 1e-12);
  EXPECT_GT((found.col(1) - q).norm(), 0.1);
}

TEST(Loops, ProjectsDriftedStates) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "cassie", "mini_cheetah"}) {
    SCOPED_TRACE(name);
    const LoopScene scene =
        model_scene(name, std::string(name) == "cassie" || std::string(name) == "mini_cheetah");
    Workspace w(scene.model);
    Random random(21);
    VectorXd q(scene.q.size());
    const VectorXd drift = random_vector(random, scene.model->nv, 1e-3);
    ASSERT_EQ(integrate(w, scene.q.data(), drift.data(), 1, q.data()), Status::ok);
    double gap = 1;
    ASSERT_EQ(close_loops(w, LoopMoves::all, q.data(), &gap), Status::ok) << w.message();
    EXPECT_LE(gap, 1e-11);
    VectorXd back(scene.model->nv);
    ASSERT_EQ(difference(w, scene.q.data(), q.data(), back.data()), Status::ok);
    EXPECT_LE(back.norm(), 20 * drift.norm());
    for (const LoopMoves moves : {LoopMoves::dependent, LoopMoves::all}) {
      const VectorXd before = random_vector(random, scene.model->nv);
      VectorXd v = before, again;
      ASSERT_EQ(project_velocity(w, moves, q.data(), v.data()), Status::ok);
      const Split s(w, q, v);
      EXPECT_LE(largest(s.K * v), 1e-9);
      again = v;
      ASSERT_EQ(project_velocity(w, moves, q.data(), again.data()), Status::ok);
      EXPECT_LE((again - v).norm(), 1e-9 * v.norm());
      if (moves == LoopMoves::dependent) continue;
      // Nearest in the metric of M: what was taken away does no work in any motion that the loops allow.
      MatrixXd M(scene.model->nv, scene.model->nv);
      ASSERT_EQ(mass_matrix(w, q.data(), M.data(), scene.model->nv), Status::ok);
      EXPECT_LE(largest(s.G.transpose() * M * (v - before)), 1e-9 * before.norm() * M.norm());
    }
  }
}

}  // namespace
}  // namespace tenon::testing
