// Derivatives of impacts: the linearised equations in dual numbers through the rows' own kernels, which the derivatives do
// not use; products against matrices; differences of whole calls.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "state/workspace_impl.hpp"
#include "support/closure_scene.hpp"
#include "support/exact/dual.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = test_robots();
constexpr DerivativeOptions write{};

struct Scene {
  Scene(ConstrainedScene& scene, SceneKind kind, Random& random) : s(scene), w(s.workspace) {
    const int n = s.nv(), m = s.rows();
    // Dependent rows that rebound differently contradict each other.
    restitution = kind == SceneKind::independent ? VectorXd((random_vector(random, m).array().abs()).min(1))
                                                 : VectorXd::Constant(m, 0.3);
    const bool alike = kind != SceneKind::independent || random.chance(0.5);
    if (alike) restitution = VectorXd::Constant(m, 0.3);
    in = {restitution.data(), alike && random.chance(0.7) ? 1 : m, s.state.q.data(), s.state.v.data()};
    for (MatrixXd* x : {&v_q, &v_v}) x->resize(n, n);
    for (MatrixXd* x : {&i_q, &i_v}) x->resize(m, n);
    after.resize(n), impulse.resize(m), J.resize(m, n);
  }
  Status compute() {
    const int n = s.nv(), m = s.rows();
    EXPECT_EQ(constraint_rows(w, in.q, in.v, nullptr, J.data(), m, nullptr, nullptr, nullptr), Status::ok);
    return impact_derivatives(
        w, write, in, after.data(), impulse.data(),
        {{{v_q.data(), n}, {v_v.data(), n}, {}}, {{i_q.data(), m}, {i_v.data(), m}, {}}});
  }
  Status hit(VectorXd& v, VectorXd& forces, const double* q) const {
    return impact(w, restitution.data(), in.count, q, v.data(), forces.data());
  }

  ConstrainedScene& s;
  Workspace& w;
  VectorXd restitution;
  ImpactInputs in{};
  MatrixXd v_q, v_v, i_q, i_v, J;
  VectorXd after, impulse;
};

template <class Check>
void for_scenes(int count, SceneKind kind, bool closures, int most_links, const Check& check) {
  count = std::max(count, 16);  // a share of few robots may be none
  int looked_at = 0;
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto s = solved_scene(static_cast<std::uint64_t>(seed), kind, closures, most_links);
    if (!s) continue;
    Random random(static_cast<std::uint64_t>(seed) + 177);
    Scene scene(*s, kind, random);
    VectorXd v = as_vector(s->state.v), impulse(s->rows());
    const Status hit = scene.hit(v, impulse, scene.in.q), status = scene.compute();
    // What rows ask for may contradict each other, though accelerations do not.
    if (hit == Status::infeasible) {
      EXPECT_EQ(status, Status::unsupported);
      continue;
    }
    if ((closures || kind == SceneKind::redundant) && status == Status::singular_configuration) continue;
    ASSERT_EQ(status, Status::ok) << scene.w.message();
    EXPECT_LE(relative_error(scene.after, v), 1e-8);
    if (largest(scene.J) == 0) continue;  // all rows on the world
    check(scene, random);
    ++looked_at;
  }
  EXPECT_GT(looked_at, count / 8);
}

// r = M d - J^T Lambda and s = J d + R Lambda + (1 + e) J v, of a robot at rest that weighs nothing. The rows of dual
// numbers hold positions too: what that adds is taken off.
void expect_linearised_equations(Scene& x, Random& random) {
  const int n = x.s.nv(), m = x.s.rows();
  if (x.w.report().rank < m) return;
  const Vector3 gravity = x.w.gravity();
  x.w.set_gravity({0, 0, 0});
  const std::vector<double> at_rest(static_cast<std::size_t>(n), 0.0),
      no_force(static_cast<std::size_t>(m), 0.0);
  DualDynamics exact(x.w, x.s.state.q, at_rest, {});
  const VectorXd n0 = VectorXd::Zero(n), m0 = VectorXd::Zero(m), v = as_vector(x.s.state.v), d = x.after - v;
  const VectorXd dq = random_vector(random, n), dv = random_vector(random, n);
  const VectorXd change = x.v_q * dq + x.v_v * dv - dv, forces = x.i_q * dq + x.i_v * dv;
  const Direction moved = {dq, n0, n0}, still = {n0, n0, n0};
  const auto rows = [&](const VectorXd& velocity, const VectorXd& lambda, const Direction& along,
                        const VectorXd& dvelocity, const VectorXd& dlambda) {
    return exact.constrained(velocity, lambda, no_force, along, dvelocity, dlambda, m0);
  };
  const VectorXd held = rows(n0, m0, moved, n0, m0).s, rebound = (1 + x.restitution.array()).matrix();
  const auto left = rows(d, x.impulse, moved, change, forces);
  const VectorXd of_v = (rebound.array() * (rows(v, m0, moved, dv, m0).s - held).array()).matrix();
  const auto by_q = rows(d, x.impulse, moved, n0, m0), by_d = rows(d, x.impulse, still, change, m0),
             by_forces = rows(d, x.impulse, still, n0, forces);
  const auto size = [](const VectorXd& a, const VectorXd& b, const VectorXd& c) {
    return larger(largest(a), larger(largest(b), largest(c)));
  };
  EXPECT_LE(largest(left.r), 1e-9 * size(by_q.r, by_d.r, by_forces.r));
  EXPECT_LE(largest(left.s - held + of_v),
            1e-9 * larger(size(by_q.s - held, by_d.s, by_forces.s), larger(largest(of_v), largest(held))));
  x.w.set_gravity(gravity);
}

TEST(ImpactDerivatives, SolveTheLinearisedEquations) {
  for (const bool closures : {false, true})
    for (const SceneKind kind : {SceneKind::independent, SceneKind::compliant})
      for_scenes(robots / 4, kind, closures, 30, expect_linearised_equations);
}

// Products go by another factor of the mass matrix than matrices.
void expect_products(Scene& x, Random& random) {
  const int n = x.s.nv(), m = x.s.rows();
  const VectorXd g = random_vector(random, n), gi = random_vector(random, m), dq = random_vector(random, n),
                 dv = random_vector(random, n);
  VectorXd q(n), v(n), after(n), impulse(m);
  ASSERT_EQ(impact_vjp(x.w, write, x.in, g.data(), gi.data(), after.data(), impulse.data(),
                       {{q.data(), 0}, {v.data(), 0}, {}}),
            Status::ok)
      << x.w.message();
  EXPECT_LE(relative_error(after, x.after), 1e-9);
  EXPECT_LE(relative_error(impulse, x.impulse), 1e-9);
  const auto size = [](const MatrixXd& a, const MatrixXd& b) { return largest(a) + largest(b); };
  EXPECT_LE(relative_error(q, x.v_q.transpose() * g + x.i_q.transpose() * gi, size(x.v_q, x.i_q)), 1e-9);
  EXPECT_LE(relative_error(v, x.v_v.transpose() * g + x.i_v.transpose() * gi, size(x.v_v, x.i_v)), 1e-9);
  ASSERT_EQ(
      impact_jvp(x.w, write, x.in, dq.data(), dv.data(), nullptr, nullptr, after.data(), impulse.data()),
      Status::ok);
  EXPECT_LE(relative_error(after, x.v_q * dq + x.v_v * dv, size(x.v_q, x.v_v)), 1e-9);
  EXPECT_LE(relative_error(impulse, x.i_q * dq + x.i_v * dv, size(x.i_q, x.i_v)), 1e-9);
}

TEST(ImpactDerivatives, ProductsAreThoseWithMatrices) {
  for (const bool closures : {false, true})
    for (const SceneKind kind : {SceneKind::independent, SceneKind::redundant, SceneKind::compliant})
      for_scenes(robots / 8, kind, closures, 30, expect_products);
}

// Along integrate(). Differences lose half of the digits.
void expect_slopes(Scene& x, Random& random) {
  const int n = x.s.nv(), m = x.s.rows();
  if (x.w.report().rank < m) return;
  const VectorXd dq = random_vector(random, n), dv = random_vector(random, n);
  const double h = 1e-6;
  VectorXd v[2], impulse[2] = {VectorXd(m), VectorXd(m)};
  for (int side = 0; side < 2; ++side) {
    const double step = side == 0 ? -h : h;
    std::vector<double> q(x.s.state.q.size());
    ASSERT_EQ(integrate(x.w, x.s.state.q.data(), dq.data(), step, q.data()), Status::ok);
    v[side] = as_vector(x.s.state.v) + step * dv;
    ASSERT_EQ(x.hit(v[side], impulse[side], q.data()), Status::ok);
  }
  EXPECT_LE(relative_error((v[1] - v[0]) / (2 * h), x.v_q * dq + x.v_v * dv, largest(x.v_q) + largest(x.v_v)),
            1e-5);
  EXPECT_LE(relative_error((impulse[1] - impulse[0]) / (2 * h), x.i_q * dq + x.i_v * dv,
                           largest(x.i_q) + largest(x.i_v)),
            1e-5);
}

TEST(ImpactDerivatives, AreSlopesOfWholeCalls) {
  for (const bool closures : {false, true})
    for_scenes(robots / 10, SceneKind::independent, closures, 12, expect_slopes);
}

// Also where nothing is hit.
TEST(ImpactDerivatives, WithoutRowsLeaveVelocities) {
  const Robot robot = random_robot(3, 8);
  Workspace w(robot.model);
  const int n = robot.model->nv;
  Random random(3);
  std::vector<double> q(static_cast<std::size_t>(robot.model->nq));
  neutral(*robot.model, q.data());
  const VectorXd v = random_vector(random, n), dv = random_vector(random, n);
  MatrixXd by_q(n, n), by_v(n, n);
  VectorXd after(n), gradient(n), change(n);
  const ImpactInputs in = {nullptr, 0, q.data(), v.data()};
  ASSERT_EQ(
      impact_derivatives(w, write, in, after.data(), nullptr, {{{by_q.data(), n}, {by_v.data(), n}, {}}, {}}),
      Status::ok);
  EXPECT_EQ(after, v);
  EXPECT_EQ(by_q, MatrixXd::Zero(n, n));
  EXPECT_EQ(by_v, MatrixXd::Identity(n, n));
  ASSERT_EQ(impact_vjp(w, write, in, dv.data(), nullptr, nullptr, nullptr, {{}, {gradient.data(), 0}, {}}),
            Status::ok);
  EXPECT_EQ(gradient, dv);
  ASSERT_EQ(impact_jvp(w, write, in, nullptr, dv.data(), nullptr, nullptr, change.data(), nullptr),
            Status::ok);
  EXPECT_EQ(change, dv);
}

}  // namespace
}  // namespace tenon::testing
