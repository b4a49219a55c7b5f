// Derivatives of inverse and forward dynamics against dual numbers through RNEA and ABA, against each other, and
// against central differences of whole calls.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <set>
#include <string>

#include "reference/decompositions.hpp"
#include "support/exact/dual.hpp"
#include "support/loop_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = test_robots();
constexpr DerivativeOptions write{};

struct Matrices {
  explicit Matrices(int n) : by_q(n, n), by_v(n, n), by_third(n, n), solution(n) {}
  Derivatives out() {
    const int n = static_cast<int>(by_q.rows());
    return {{by_q.data(), n}, {by_v.data(), n}, {by_third.data(), n}};
  }
  VectorXd times(const Direction& x) const { return by_q * x.q + by_v * x.v + by_third * x.third; }
  // The sizes of the terms of that.
  double terms(const Direction& x) const {
    return largest(by_q.cwiseAbs() * x.q.cwiseAbs() + by_v.cwiseAbs() * x.v.cwiseAbs() +
                   by_third.cwiseAbs() * x.third.cwiseAbs());
  }
  MatrixXd by_q, by_v, by_third;
  VectorXd solution;
};

struct Gradient {
  explicit Gradient(int n) : q(n), v(n), third(n), solution(n) {}
  Derivatives out() { return {{q.data(), 0}, {v.data(), 0}, {third.data(), 0}}; }
  VectorXd q, v, third, solution;
};

// A tree in motion, all inputs, and the derivatives there.
struct Scene {
  explicit Scene(MovingTree& t_) : t(t_), w(t.w), id(t.nv()), fd(t.nv()) {
    inverse_in = {t.s.q.data(), t.s.v.data(), nullptr, t.s.wrenches.data(), nullptr, t.s.a.data()};
    forward_in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
    EXPECT_EQ(inverse_dynamics_derivatives(w, write, inverse_in, id.solution.data(), id.out()), Status::ok)
        << w.message();
    EXPECT_EQ(forward_dynamics_derivatives(w, write, forward_in, fd.solution.data(), fd.out()), Status::ok)
        << w.message();
  }
  Direction random_direction() {
    const int n = t.nv();
    return {random_vector(t.random, n), random_vector(t.random, n), random_vector(t.random, n)};
  }
  // The size of terms that may cancel: inertias, and forces.
  double size() const { return larger(largest(id.by_third), largest(id.solution)); }
  double solved_size() const { return size() * largest(fd.by_third); }
  double condition() const { return reference::scaled_condition(id.by_third); }  // of M

  MovingTree& t;
  Workspace& w;
  Inputs<double> inverse_in, forward_in;
  Matrices id, fd;
};

template <class Check>
void for_scenes(int count, int most_links, Check check) {
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, most_links);
    Scene scene(tree);
    check(scene);
  }
}

TEST(Derivatives, OfRandomTreesAlongADirectionAreThoseOfDualNumbers) {
  std::set<int> kinds;
  for_scenes(robots, 40, [&](Scene& s) {
    for (const NodeData& n : s.t.robot.model->nodes) kinds.insert(n.kind);
    DualDynamics exact(s.w, s.t.s.q, s.t.s.v, s.t.s.wrenches);
    const Direction x = s.random_direction();
    EXPECT_LE(relative_error(s.id.times(x), exact.inverse(s.t.s.a, x), s.id.terms(x)), 1e-12);
    EXPECT_LE(relative_error(s.fd.times(x), exact.forward(s.t.s.tau, x), s.fd.terms(x)),
              1e-12 * s.condition());
  });
  if (robots >= 1000) {
    EXPECT_EQ(kinds.size(), 12U);
  }  // every kind of joint has occurred
}

// Column by column.
TEST(Derivatives, OfSmallTreesAreThoseOfDualNumbers) {
  for_scenes(robots / 10, 12, [](Scene& s) {
    DualDynamics exact(s.w, s.t.s.q, s.t.s.v, s.t.s.wrenches);
    const int n = s.t.nv();
    Matrices id(n), fd(n);
    for (int k = 0; k < n; ++k) {
      const VectorXd unit = VectorXd::Unit(n, k), zero = VectorXd::Zero(n);
      const Direction along[3] = {{unit, zero, zero}, {zero, unit, zero}, {zero, zero, unit}};
      id.by_q.col(k) = exact.inverse(s.t.s.a, along[0]), id.by_v.col(k) = exact.inverse(s.t.s.a, along[1]);
      id.by_third.col(k) = exact.inverse(s.t.s.a, along[2]);
      fd.by_q.col(k) = exact.forward(s.t.s.tau, along[0]),
      fd.by_v.col(k) = exact.forward(s.t.s.tau, along[1]);
      fd.by_third.col(k) = exact.forward(s.t.s.tau, along[2]);
    }
    EXPECT_LE(relative_error(s.id.by_q, id.by_q, s.size()), 1e-12);
    EXPECT_LE(relative_error(s.id.by_v, id.by_v, s.size()), 1e-12);
    EXPECT_LE(relative_error(s.id.by_third, id.by_third), 1e-13);
    const double most = 1e-13 * s.condition();
    EXPECT_LE(relative_error(s.fd.by_q, fd.by_q, s.solved_size()), most);
    EXPECT_LE(relative_error(s.fd.by_v, fd.by_v, s.solved_size()), most);
    EXPECT_LE(relative_error(s.fd.by_third, fd.by_third), most);
  });
}

TEST(Derivatives, HoldIdentities) {
  for_scenes(robots / 4, 40, [](Scene& s) {
    const int n = s.t.nv();
    VectorXd tau(n), qdd(n);
    MatrixXd M(n, n);
    ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, tau.data()), Status::ok);
    ASSERT_EQ(forward_dynamics(s.w, s.forward_in, qdd.data()), Status::ok);
    ASSERT_EQ(mass_matrix(s.w, s.t.s.q.data(), M.data(), n), Status::ok);
    EXPECT_LE(relative_error(s.id.solution, tau), 1e-12);
    EXPECT_LE(relative_error(s.fd.solution, qdd), 1e-12 * s.condition());
    EXPECT_LE(relative_error(s.id.by_third, M), 1e-14);
    EXPECT_EQ(s.id.by_third, s.id.by_third.transpose());
    // At the accelerations of forward dynamics.
    Matrices at(n);
    Inputs<double> in = s.inverse_in;
    in.qdd = qdd.data();
    ASSERT_EQ(inverse_dynamics_derivatives(s.w, write, in, nullptr, at.out()), Status::ok);
    const double most = 1e-12 * s.condition();
    EXPECT_LE(relative_error(s.fd.by_third, s.fd.by_third.transpose()), most);
    EXPECT_LE(relative_error(M * s.fd.by_third, MatrixXd::Identity(n, n)), most);
    EXPECT_LE(relative_error(s.fd.by_third * at.by_q, -s.fd.by_q), most);
    EXPECT_LE(relative_error(s.fd.by_third * at.by_v, -s.fd.by_v), most);
  });
}

void expect_products(Scene& s) {
  const int n = s.t.nv();
  const VectorXd y = random_vector(s.t.random, n);
  const Direction x = s.random_direction();
  const StateChange change = {x.q.data(), x.v.data(), x.third.data()};
  Gradient id(n), fd(n);
  VectorXd solution(n), along(n);
  ASSERT_EQ(inverse_dynamics_vjp(s.w, write, s.inverse_in, y.data(), id.solution.data(), id.out()),
            Status::ok);
  ASSERT_EQ(forward_dynamics_vjp(s.w, write, s.forward_in, y.data(), fd.solution.data(), fd.out()),
            Status::ok);
  const auto compare = [&](const Gradient& g, const Matrices& m, double size, double most) {
    EXPECT_LE(relative_error(g.q, m.by_q.transpose() * y, size), most);
    EXPECT_LE(relative_error(g.v, m.by_v.transpose() * y, size), most);
    EXPECT_LE(relative_error(g.third, m.by_third.transpose() * y), most);
    EXPECT_LE(relative_error(g.solution, m.solution), most);
  };
  const double solved = 1e-12 * s.condition();
  compare(id, s.id, s.size(), 1e-12);
  compare(fd, s.fd, s.solved_size(), solved);
  ASSERT_EQ(inverse_dynamics_jvp(s.w, write, s.inverse_in, change, solution.data(), along.data()),
            Status::ok);
  EXPECT_LE(relative_error(along, s.id.times(x), s.id.terms(x)), 1e-12);
  EXPECT_LE(relative_error(solution, s.id.solution), 1e-13);
  ASSERT_EQ(forward_dynamics_jvp(s.w, write, s.forward_in, change, solution.data(), along.data()),
            Status::ok);
  EXPECT_LE(relative_error(along, s.fd.times(x), s.fd.terms(x)), solved);
  EXPECT_LE(relative_error(solution, s.fd.solution), solved);
  // What is NULL does not change.
  ASSERT_EQ(
      inverse_dynamics_jvp(s.w, write, s.inverse_in, {nullptr, x.v.data(), nullptr}, nullptr, along.data()),
      Status::ok);
  EXPECT_LE(relative_error(along, s.id.by_v * x.v, s.id.terms(x)), 1e-12);
  ASSERT_EQ(
      forward_dynamics_jvp(s.w, write, s.forward_in, {x.q.data(), nullptr, nullptr}, nullptr, along.data()),
      Status::ok);
  EXPECT_LE(relative_error(along, s.fd.by_q * x.q, s.fd.terms(x)), solved);
}

TEST(Derivatives, ProductsAreThoseWithMatrices) {
  for_scenes(robots / 4, 40, expect_products);
}

// Along integrate(), so that the tangent is that of the library. Differences lose half of the digits.
void expect_slopes(Scene& s) {
  const int n = s.t.nv();
  const Direction x = s.random_direction();
  const double h = 1e-5;
  VectorXd tau[2] = {VectorXd(n), VectorXd(n)}, qdd[2] = {VectorXd(n), VectorXd(n)};
  for (int side = 0; side < 2; ++side) {
    const double step = side == 0 ? -h : h;
    std::vector<double> q(s.t.s.q.size());
    ASSERT_EQ(integrate(s.w, s.t.s.q.data(), x.q.data(), step, q.data()), Status::ok);
    const VectorXd v = as_vector(s.t.s.v) + step * x.v, a = as_vector(s.t.s.a) + step * x.third,
                   force = as_vector(s.t.s.tau) + step * x.third;
    const double* f = s.t.s.wrenches.data();
    ASSERT_EQ(inverse_dynamics(s.w, {q.data(), v.data(), nullptr, f, nullptr, a.data()}, tau[side].data()),
              Status::ok);
    ASSERT_EQ(forward_dynamics(s.w, {q.data(), v.data(), force.data(), f}, qdd[side].data()), Status::ok);
  }
  EXPECT_LE(relative_error((tau[1] - tau[0]) / (2 * h), s.id.times(x), s.id.terms(x)), 1e-7);
  EXPECT_LE(relative_error((qdd[1] - qdd[0]) / (2 * h), s.fd.times(x), s.fd.terms(x)), 1e-7 * s.condition());
}

TEST(Derivatives, AreSlopesOfWholeCalls) {
  for_scenes(robots / 10, 15, expect_slopes);
}

// Armatures, friction and a load that the workspace says.
TEST(Derivatives, OfWorkspacesWithNumbersOfTheirOwn) {
  for (int seed = 0; seed < 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, 15);
    const int n = tree.nv();
    const VectorXd armatures = random_vector(tree.random, n).cwiseAbs(),
                   damping = random_vector(tree.random, n).cwiseAbs(),
                   dry = random_vector(tree.random, n).cwiseAbs();
    ASSERT_EQ(set_joint_parameters(tree.w, armatures.data(), damping.data(), dry.data()), Status::ok)
        << tree.w.message();
    LinkInertia load;
    load.mass = 2, load.center_of_mass = {0.1, 0.2, 0.3};
    ASSERT_EQ(set_payload(tree.w, random_link(tree.random, *tree.robot.model), load), Status::ok)
        << tree.w.message();
    Scene s(tree);
    expect_products(s);
    expect_slopes(s);
    VectorXd tau(n);
    ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, tau.data()), Status::ok);
    EXPECT_LE(relative_error(s.id.solution, tau), 1e-12);
  }
}

// Limbs side by side, and joints with armature.
TEST(Derivatives, OfModels) {
  for (const char* name :
       {"iiwa14", "panda_arm", "solo12", "go1", "atlas", "atlas_shadow_hands", "shadow_hand", "chain"}) {
    for (const bool floating : {false, true}) {
      if (floating && std::string(name) == "chain") continue;  // its base has no mass
      SCOPED_TRACE(std::string(name) + (floating ? " floating" : ""));
      Robot robot;
      robot.mechanism = load_urdf(std::string(TENON_MODELS_DIR) + "/" + name + ".urdf");
      robot.options.floating_base = floating;
      robot.model = Model::compile(robot.mechanism, robot.options);
      MovingTree tree(robot, 5);
      Scene s(tree);
      DualDynamics exact(s.w, tree.s.q, tree.s.v, tree.s.wrenches);
      const Direction x = s.random_direction();
      EXPECT_LE(relative_error(s.id.times(x), exact.inverse(tree.s.a, x), s.id.terms(x)), 1e-12);
      EXPECT_LE(relative_error(s.fd.times(x), exact.forward(tree.s.tau, x), s.fd.terms(x)),
                1e-12 * s.condition());
      VectorXd along(tree.nv());
      const StateChange change = {x.q.data(), x.v.data(), x.third.data()};
      ASSERT_EQ(forward_dynamics_jvp(s.w, write, s.forward_in, change, nullptr, along.data()), Status::ok);
      EXPECT_LE(relative_error(along, s.fd.times(x), s.fd.terms(x)), 1e-12 * s.condition());
    }
  }
}

TEST(Derivatives, AccumulateAndLeaveOut) {
  MovingTree tree(7, 20);
  Scene s(tree);
  const int n = tree.nv(), ld = n + 3;
  const VectorXd y = random_vector(tree.random, n);
  MatrixXd sum = MatrixXd::Constant(ld, n, 7);
  ASSERT_EQ(inverse_dynamics_derivatives(s.w, {true}, s.inverse_in, nullptr, {{sum.data(), ld}, {}, {}}),
            Status::ok);
  EXPECT_LE(relative_error(sum.topRows(n), (s.id.by_q.array() + 7).matrix()), 1e-15);
  EXPECT_TRUE((sum.bottomRows(3).array() == 7).all());
  sum.setConstant(-1);
  ASSERT_EQ(forward_dynamics_derivatives(s.w, {true}, s.forward_in, nullptr, {{}, {}, {sum.data(), ld}}),
            Status::ok);
  EXPECT_EQ(sum.topRows(n), (s.fd.by_third.array() - 1).matrix());
  // Of different leading dimensions.
  MatrixXd by_v(n, n), by_q = MatrixXd::Constant(ld, n, 7);
  ASSERT_EQ(inverse_dynamics_derivatives(s.w, write, s.inverse_in, nullptr,
                                         {{by_q.data(), ld}, {by_v.data(), n}, {}}),
            Status::ok);
  EXPECT_EQ(by_q.topRows(n), s.id.by_q);
  EXPECT_TRUE((by_q.bottomRows(3).array() == 7).all());
  EXPECT_EQ(by_v, s.id.by_v);
  Gradient once(n);
  ASSERT_EQ(forward_dynamics_vjp(s.w, write, s.forward_in, y.data(), nullptr, once.out()), Status::ok);
  VectorXd twice = once.q;
  ASSERT_EQ(forward_dynamics_vjp(s.w, {true}, s.forward_in, y.data(), nullptr, {{twice.data(), 0}, {}, {}}),
            Status::ok);
  EXPECT_EQ(twice, 2 * once.q);
  // What is there must be finite, or nothing is written.
  VectorXd before = VectorXd::Constant(n, 3);
  twice(n - 1) = HUGE_VAL;
  EXPECT_EQ(forward_dynamics_vjp(s.w, {true}, s.forward_in, y.data(), nullptr,
                                 {{twice.data(), 0}, {before.data(), 0}, {}}),
            Status::not_finite);
  EXPECT_NE(std::string(s.w.message()).find("gradient_q[" + std::to_string(n - 1) + "]"), std::string::npos)
      << s.w.message();
  EXPECT_EQ(before, VectorXd::Constant(n, 3));
}

TEST(Derivatives, OfModelsWithLoopsByRowsAreUnsupported) {
  const LoopScene scene = with_row_loops(model_scene("four_bar"), {false});
  Workspace w(scene.model);
  const int n = scene.model->nv;
  const VectorXd zero = VectorXd::Zero(n);
  VectorXd out = VectorXd::Constant(n, 5);
  EXPECT_EQ(
      inverse_dynamics_vjp(w, write, {scene.q.data(), zero.data(), nullptr, nullptr, nullptr, zero.data()},
                           zero.data(), out.data(), {}),
      Status::unsupported);
  EXPECT_NE(std::string(w.message()).find("loops"), std::string::npos) << w.message();
  EXPECT_EQ(out, VectorXd::Constant(n, 5));
}

// Independent coordinates of a tree are all coordinates.
TEST(Derivatives, InIndependentCoordinatesOfATree) {
  MovingTree tree(11, 15);
  Scene s(tree);
  ASSERT_EQ(set_coordinates(s.w, Coordinates::independent, Coordinates::independent), Status::ok);
  Matrices id(tree.nv());
  ASSERT_EQ(inverse_dynamics_derivatives(s.w, write, s.inverse_in, id.solution.data(), id.out()), Status::ok);
  EXPECT_EQ(id.by_q, s.id.by_q);
  EXPECT_EQ(id.by_v, s.id.by_v);
}

TEST(Derivatives, ByEveryInstructionSet) {
  for (const Instructions set : {Instructions::baseline, Instructions::x86_64_v3, Instructions::x86_64_v4}) {
    for (int seed = 0; seed < 30; ++seed) {
      MovingTree tree(seed, 30);
      Scene s(tree);
      const auto other = tree.with(set);
      if (!other) break;  // not on this machine
      Matrices id(tree.nv()), fd(tree.nv());
      ASSERT_EQ(inverse_dynamics_derivatives(*other, write, s.inverse_in, id.solution.data(), id.out()),
                Status::ok);
      ASSERT_EQ(forward_dynamics_derivatives(*other, write, s.forward_in, fd.solution.data(), fd.out()),
                Status::ok);
      EXPECT_LE(relative_error(id.by_q, s.id.by_q, s.size()), 1e-12);
      EXPECT_LE(relative_error(id.by_v, s.id.by_v, s.size()), 1e-12);
      EXPECT_LE(relative_error(fd.by_q, s.fd.by_q, s.solved_size()), 1e-12 * s.condition());
      EXPECT_LE(relative_error(fd.by_third, s.fd.by_third), 1e-12 * s.condition());
    }
  }
}

// Some matrices of inverse dynamics, in rows or columns, inside larger ones that are 7.
struct Inside {
  Inside(Scene& s, Workspace& w, int wanted, bool row_major) : n(s.t.nv()) {
    Derivatives out;
    DerivativeOut* const outs[3] = {&out.by_q, &out.by_v, &out.by_third};
    for (int i = 0; i < 3; ++i) {
      around[i] = MatrixXd::Constant(n + 3, n + 2, 7);
      if (wanted & 1 << i) *outs[i] = {&around[i](0, 1), n + 3, row_major};
    }
    EXPECT_EQ(inverse_dynamics_derivatives(w, write, s.inverse_in, nullptr, out), Status::ok);
  }
  // The matrix as it lies, and 7 in its place.
  MatrixXd take(int i) {
    const MatrixXd x = around[i].block(0, 1, n, n);
    around[i].block(0, 1, n, n).setConstant(7);
    return x;
  }
  int n;
  MatrixXd around[3];
};

// Whatever is wanted, all matrices have the same bits in both orders, and what is around them stays as it is.
TEST(Derivatives, InRowsHaveTheBitsOfColumns) {
  for (const Instructions set : {Instructions::baseline, Instructions::x86_64_v3, Instructions::x86_64_v4}) {
    for (int seed = 0; seed < robots / 4 && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      MovingTree tree(seed, 2 + seed % 28);
      Scene s(tree);
      const auto w = tree.with(set);
      if (!w) break;  // not on this machine
      Inside all(s, *w, 7, false);
      const MatrixXd expected[3] = {all.take(0), all.take(1), all.take(2)};
      EXPECT_EQ(expected[2], expected[2].transpose());
      for (int wanted = 1; wanted < 8; ++wanted)
        for (const bool row_major : {false, true}) {
          Inside some(s, *w, wanted, row_major);
          for (int i = 0; i < 3; ++i) {
            const MatrixXd x = some.take(i);
            if (wanted & 1 << i) {
              EXPECT_EQ(row_major ? MatrixXd(x.transpose()) : x, expected[i]) << wanted << " " << i;
            }
            EXPECT_TRUE((some.around[i].array() == 7).all());
          }
        }
    }
  }
}

}  // namespace
}  // namespace tenon::testing
