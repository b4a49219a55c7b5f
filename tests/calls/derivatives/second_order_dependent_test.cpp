// Second derivatives where rows depend on each other: differences of whole calls of constrained dynamics, which takes least
// squares where rows ask for different accelerations.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "state/workspace_impl.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = test_robots();
constexpr DerivativeOptions write{};

DerivativeOut to(MatrixXd& x) {
  return {x.data(), static_cast<int>(x.rows())};
}

// A point of a state, or a direction.
struct At {
  At(Random& random, int n, int m)
      : v(random_vector(random, n)), tau(random_vector(random, n)), desired(random_vector(random, m)) {}
  VectorXd v, tau, desired;
};

// A body that is held by more rows than it has freedoms, with weights of their own, at a state where they agree.
struct Overheld {
  Overheld(Workspace& workspace, const VectorXd& q_, const VectorXd& v, const double* wrenches_,
           Random& random)
      : w(workspace),
        n(w.impl().coordinates.independent_v ? w.model().ny : w.model().nv),
        m(w.impl().rows()),
        q(q_),
        at(random, n, m),
        wrenches(wrenches_),
        gradient(random_vector(random, n)) {
    VectorXd weights(m), rhs(m);
    for (int r = 0; r < m; ++r) weights[r] = std::exp(random.uniform(-1, 1));
    EXPECT_EQ(set_constraint_weights(w, 0, weights.data()), Status::ok);
    at.v = v, at.desired.setZero();
    MatrixXd J(m, n);
    EXPECT_EQ(constraint_rows(w, q.data(), at.v.data(), at.desired.data(), J.data(), m, rhs.data(), nullptr,
                              nullptr),
              Status::ok);
    at.desired = J * random_vector(random, n) - rhs;
    const VectorXd moved = J.jacobiSvd().singularValues();
    for (double x : moved) rank += x > 1e-9 ? 1 : 0;
    if (rank > 0) least = moved[rank - 1];
  }
  Inputs<double> in(const VectorXd& q_at, const At& x) const {
    return {q_at.data(), x.v.data(), x.tau.data(), wrenches, x.desired.data()};
  }
  // The number where the state has moved by t times d, with q along `turn`.
  double value(const VectorXd& turn, const At& d, double t) const {
    VectorXd q_at(q.size()), qdd(n);
    if (integrate(w, q.data(), turn.data(), t, q_at.data()) != Status::ok)
      return NAN;  // loops that do not close
    At x = at;
    x.v += t * d.v, x.tau += t * d.tau, x.desired += t * d.desired;
    const Status status = constrained_dynamics(w, SolveOptions{}, in(q_at, x), qdd.data(), nullptr);
    EXPECT_TRUE(status == Status::ok || status == Status::infeasible) << w.message();
    return gradient.dot(qdd);
  }
  // The second difference, of the fourth order.
  double curvature(const VectorXd& turn, const At& d, double h) const {
    const auto number = [&](double t) { return value(turn, d, t); };
    return (16 * (number(h) + number(-h)) - number(2 * h) - number(-2 * h) - 30 * number(0)) / (12 * h * h);
  }

  Workspace& w;
  int n, m;
  VectorXd q;
  At at;
  const double* wrenches;
  VectorXd gradient;
  int rank = 0;
  double least = 0;  // that a freedom moves the rows
};

// Whether there was something to look at.
bool expect_slopes(Overheld& x, Random& random) {
  const int n = x.n, m = x.m;
  if (x.rank == m || x.least < 0.03) return false;
  MatrixXd qq(n, n), qv(n, n), vv(n, n), qx(n, n), qk(n, m);
  const Status status = constrained_dynamics_hessian(x.w, write, x.in(x.q, x.at), x.gradient.data(), nullptr,
                                                     {to(qq), to(qv), to(vv), to(qx), to(qk)});
  if (status == Status::singular_configuration) return false;
  EXPECT_EQ(status, Status::ok) << x.w.message();
  if (status != Status::ok) return false;
  const VectorXd dq = random_vector(random, n);
  const At d(random, n, m);
  // H d, of matrices and of products.
  const VectorXd by_q = qq * dq + qv * d.v + qx * d.tau + qk * d.desired,
                 by_v = qv.transpose() * dq + vv * d.v, by_tau = qx.transpose() * dq,
                 by_desired = qk.transpose() * dq;
  const double found = dq.dot(by_q) + d.v.dot(by_v) + d.tau.dot(by_tau) + d.desired.dot(by_desired);
  const double size = std::max({1.0, largest(qq), largest(qv), largest(vv), largest(qx), largest(qk)}) *
                      (dq.squaredNorm() + d.v.squaredNorm() + d.tau.squaredNorm() + d.desired.squaredNorm());
  // Next to dead centres long steps leave the curve, and short ones lose digits everywhere: two that agree.
  double error = INFINITY, apart = INFINITY, last = NAN;
  for (const double h : {4e-2, 1e-2, 2.5e-3, 6e-4}) {
    const double slope = x.curvature(dq, d, h) / size, off = std::abs(found / size - slope);
    error = off < error ? off : error;
    apart = std::abs(slope - last) < apart ? std::abs(slope - last) : apart;
    last = slope;
  }
  if (apart > 1e-6) return false;
  EXPECT_LE(error, 1e-5);
  VectorXd p_q(n), p_v(n), p_tau(n), p_desired(m);
  EXPECT_EQ(constrained_dynamics_hvp(
                x.w, write, x.in(x.q, x.at), x.gradient.data(), nullptr,
                {{dq.data(), d.v.data(), d.tau.data()}, d.desired.data()},
                {{{p_q.data(), 0}, {p_v.data(), 0}, {p_tau.data(), 0}}, {p_desired.data(), 0}}),
            Status::ok);
  EXPECT_LE(largest(p_q - by_q), 1e-10 * size);
  EXPECT_LE(largest(p_v - by_v), 1e-10 * size);
  EXPECT_LE(largest(p_tau - by_tau), 1e-10 * size);
  EXPECT_LE(largest(p_desired - by_desired), 1e-10 * size);
  return true;
}

std::shared_ptr<const ConstraintSet> weld_at_the_end(const std::shared_ptr<const Model>& model,
                                                     Random& random) {
  const int link = static_cast<int>(model->links.size()) - 1;
  return ConstraintSet::bind(model, {weld_constraint(link, random.pose(0.3))});
}

TEST(SecondDerivativesOfDependentRows, AreSlopesOnTrees) {
  int looked_at = 0;
  for (int seed = 0; seed < 4 * robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 5);
    if (robot.model->nv > 6) continue;
    Random random(static_cast<std::uint64_t>(seed) + 91);
    const State s = random_state(random, *robot.model);
    Workspace w(robot.model, weld_at_the_end(robot.model, random));
    const auto numbers = [](const std::vector<double>& x) {
      return VectorXd(Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    Overheld x(w, numbers(s.q), numbers(s.v), s.wrenches.data(), random);
    looked_at += expect_slopes(x, random) ? 1 : 0;
  }
  EXPECT_GT(looked_at, robots / 20);
}

TEST(SecondDerivativesOfDependentRows, AreSlopesWithEmbeddedLoops) {
  int looked_at = 0;
  for (int seed = 0; seed < 2 * robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.model->data().cluster_count == 0 || scene.model->ny == 0 || scene.model->ny > 8) continue;
    Random random(static_cast<std::uint64_t>(seed) + 92);
    MovingLoops loops(scene, random, weld_at_the_end(scene.model, random));
    if (!loops.regular()) continue;
    Overheld x(loops.independent, loops.q, loops.ydot, loops.wrenches.data(), random);
    looked_at += expect_slopes(x, random) ? 1 : 0;
  }
  EXPECT_GT(looked_at, robots / 50);
}

// Rows that are not active depend on none: forces of others have second derivatives, of rows too that are so nearly dependent
// that a factor with pivots is taken.
TEST(SecondDerivativesOfDependentRows, RowsThatAreOffAreNone) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto model = random_robot(static_cast<std::uint64_t>(seed), 8).model;
    const int n = model->nv, last = static_cast<int>(model->links.size()) - 1;
    Random random(static_cast<std::uint64_t>(seed) + 93);
    const State s = random_state(random, *model);
    ConstraintSpec nearly;
    nearly.link = last, nearly.custom = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1e-4, 0};
    const ConstraintSpec off = weld_constraint(last, random.pose(0.3));
    Workspace one(model, ConstraintSet::bind(model, {nearly})),
        two(model, ConstraintSet::bind(model, {nearly, off}));
    ASSERT_EQ(set_constraint_active(two, 1, false), Status::ok);
    const VectorXd by = random_vector(random, n), by_lambda = random_vector(random, 8);
    const Inputs<double> in = {s.q.data(), s.v.data(), s.tau.data()};
    MatrixXd found(n, n), expected(n, n);
    const auto differentiate = [&](Workspace& w, MatrixXd& to_q) {
      return constrained_dynamics_hessian(w, write, in, by.data(), by_lambda.data(),
                                          {to(to_q), {}, {}, {}, {}});
    };
    if (differentiate(one, expected) != Status::ok) continue;
    ASSERT_EQ(differentiate(two, found), Status::ok) << two.message();
    EXPECT_LE(largest(found - expected), 1e-6 * largest(expected));
    ++looked_at;
  }
  EXPECT_GT(looked_at, robots / 20);
}

}  // namespace
}  // namespace tenon::testing
