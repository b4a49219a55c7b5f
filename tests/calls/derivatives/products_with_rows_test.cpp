// Products with derivatives of constrained dynamics and of impacts, which factor the mass matrix by chains, against matrices,
// which factor it by paths: of long robots with rows of all kinds, whose settings change from call to call in one workspace;
// and which of both find rows that depend on each other or contradict each other. Against differences of whole calls too.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/closure_scene.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr DerivativeOptions write{};

// A long robot with rows on some of its links, a body with more of them than it has directions, and now and then links tied to
// each other.
struct LongRobot {
  LongRobot(std::uint64_t seed, Random& random) {
    MechanismOptions shape;
    const Shape shapes[] = {Shape::chain, Shape::binary, Shape::star, Shape::random};
    shape.shape = shapes[seed % 4];
    shape.links = random.integer(20, 90);
    shape.hinges_only = random.chance(0.6);
    robot = random_robot(seed, shape, random.chance(0.5));
    const int last = static_cast<int>(robot.model->links.size()) - 1;
    ConstraintOptions few;
    few.most_rows = 18, few.compliance = 0.2, few.duplicates = 0.2;
    specs = random_constraints(random, *robot.model, few);
    if (random.chance(0.3))  // four points of a foot: rank 6 of 12
      for (int corner = 0; corner < 4; ++corner)
        specs.push_back(
            point_constraint(last, {corner < 2 ? -0.1 : 0.1, corner % 2 == 0 ? -0.1 : 0.1, 0.05}));
    if (const int first = random.integer(1, last), second = random.integer(0, last - 1); random.chance(0.5)) {
      ConstraintSpec tie = closure_constraint(first, random.pose(0.2), second < first ? second : second + 1,
                                              random.pose(0.2), 0x7u);
      tie.name = "tie";
      specs.push_back(tie);
    }
    for (std::size_t i = 0; i < specs.size(); ++i) specs[i].name = "rows_" + std::to_string(i);
    set = ConstraintSet::bind(robot.model, specs);
  }
  int rows() const { return set->row_count(); }

  Robot robot;
  std::vector<ConstraintSpec> specs;
  std::shared_ptr<const ConstraintSet> set;
};

// The matrices, and without rows those of q, v and tau: the size of what rows may take away, who see motions by J.
struct Matrices {
  Matrices(int n, int m) : J(m, n), of_k(m, m), by_k(n, m) {
    for (int i = 0; i < 3; ++i) free[i].resize(n, n), by[i].resize(n, n), of[i].resize(m, n);
  }
  Status fill(Workspace& w, const Inputs<double>& in) {
    const auto to = [](MatrixXd& x) { return DerivativeOut{x.data(), static_cast<int>(x.rows())}; };
    EXPECT_EQ(forward_dynamics_derivatives(w, write, in, nullptr, {to(free[0]), to(free[1]), to(free[2])}),
              Status::ok);
    EXPECT_EQ(constraint_rows(w, in.q, in.v, in.desired, J.data(), static_cast<int>(J.rows()), nullptr,
                              nullptr, nullptr),
              Status::ok);
    return constrained_dynamics_derivatives(
        w, write, in, nullptr, nullptr,
        {{to(by[0]), to(by[1]), to(by[2])}, to(by_k), {to(of[0]), to(of[1]), to(of[2])}, to(of_k)});
  }
  // Of a product with those by q, v or tau.
  double size(int i) const {
    return largest(by[i]) + largest(of[i]) + largest(free[i]) +
           largest(of_k) * (largest(J) + largest(J.cwiseAbs() * free[i].cwiseAbs()));
  }
  MatrixXd J, of_k, by_k, free[3], by[3], of[3];
};

void expect_close(const VectorXd& found, const VectorXd& expected, double size) {
  EXPECT_LE(largest(found - expected), 1e-9 * larger(size, largest(expected)));
}

// Returns whether there are derivatives.
bool compare(Workspace& w, const Inputs<double>& in, Random& random, int& dependent) {
  const int n = w.model().nv, m = w.constraints()->row_count();
  Matrices x(n, m);
  const Status expected = x.fill(w, in);
  const int rank = w.report().rank;
  const VectorXd g = random_vector(random, n), gl = random_vector(random, m), dk = random_vector(random, m),
                 change[3] = {random_vector(random, n), random_vector(random, n), random_vector(random, n)};
  VectorXd by[3] = {VectorXd(n), VectorXd(n), VectorXd(n)}, k(m), qdd(n), lambda(m);
  const Status by_vjp =
      constrained_dynamics_vjp(w, write, in, g.data(), gl.data(), nullptr, nullptr,
                               {{{by[0].data(), 0}, {by[1].data(), 0}, {by[2].data(), 0}}, {k.data(), 0}});
  EXPECT_EQ(by_vjp, expected) << w.message();
  if (expected != Status::ok) return false;
  EXPECT_EQ(w.report().rank, rank);
  dependent += rank < m;
  if (largest(x.J) == 0) return true;  // all rows on the world: nothing but rounding
  EXPECT_EQ(constrained_dynamics_jvp(w, write, in,
                                     {{change[0].data(), change[1].data(), change[2].data()}, dk.data()},
                                     nullptr, nullptr, qdd.data(), lambda.data()),
            Status::ok)
      << w.message();
  VectorXd of_qdd = x.by_k * dk, of_lambda = x.of_k * dk;
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    expect_close(by[i], x.by[i].transpose() * g + x.of[i].transpose() * gl, x.size(i));
    of_qdd += x.by[i] * change[i], of_lambda += x.of[i] * change[i];
    size = larger(size, x.size(i));
  }
  expect_close(k, x.by_k.transpose() * g + x.of_k.transpose() * gl, x.size(2));
  expect_close(qdd, of_qdd, size), expect_close(lambda, of_lambda, size);
  return true;
}

void change_settings(Workspace& w, const LongRobot& r, Random& random) {
  const int last = static_cast<int>(r.specs.size()) - 1;
  std::vector<double> numbers(6);
  for (double& x : numbers) x = random.uniform(0.01, 0.5);
  std::vector<double> damping(static_cast<std::size_t>(r.robot.model->nv));
  for (double& x : damping) x = random.uniform(0, 0.2);
  ASSERT_EQ(set_joint_parameters(w, nullptr, damping.data(), nullptr), Status::ok);
  ASSERT_EQ(set_constraint_active(w, random.integer(0, last), random.chance(0.3)), Status::ok);
  ASSERT_EQ(set_constraint_gains(w, random.integer(0, last), 3, 0.5), Status::ok);
  ASSERT_EQ(set_constraint_weights(w, random.integer(0, last), numbers.data()), Status::ok);
  if (!random.chance(0.5)) return;
  for (double& x : numbers) x = random.chance(0.5) ? 0 : x;
  ASSERT_EQ(set_constraint_compliance(w, random.integer(0, last), numbers.data()), Status::ok);
}

TEST(ProductsWithRows, OfLongRobotsAreThoseWithMatrices) {
  int looked_at = 0, dependent = 0;
  for (int seed = 0; seed < test_robots() / 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed) + 5);
    const LongRobot r(static_cast<std::uint64_t>(seed), random);
    if (r.rows() == 0) continue;
    Workspace w(r.robot.model, r.set);
    const std::vector<double> zeros(static_cast<std::size_t>(r.rows()), 0.0);
    for (int k = 0; k < 3; ++k) {
      State s = random_state(random, *r.robot.model);
      if (k > 0) {
        ASSERT_NO_FATAL_FAILURE(change_settings(w, r, random));
      }
      // Rows that depend on each other agree at rest, seldom else.
      if (k < 2) std::fill(s.v.begin(), s.v.end(), 0.0);
      looked_at += compare(w, {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data(), zeros.data()}, random,
                           dependent);
    }
  }
  EXPECT_GT(looked_at, test_robots() / 4);
  EXPECT_GT(dependent, test_robots() / 16);
}

// Their matrices and their products have the same status.
TEST(ProductsWithRows, ContradictWhereMatricesDo) {
  int contradicting = 0;
  for (const bool closures : {false, true})
    for (int seed = 0; seed < test_robots() / 4 && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      Random random(static_cast<std::uint64_t>(seed));
      const auto kind = SceneKind::contradictory;
      const auto scene = closures
                             ? closure_scene(static_cast<std::uint64_t>(seed), kind, 40)
                             : std::make_unique<ConstrainedScene>(static_cast<std::uint64_t>(seed), kind, 40);
      if (scene->rows() == 0) continue;
      int dependent = 0;
      contradicting += !compare(scene->workspace,
                                {scene->state.q.data(), scene->state.v.data(), scene->state.tau.data(),
                                 scene->state.wrenches.data(), scene->desired.data()},
                                random, dependent);
    }
  EXPECT_GT(contradicting, test_robots() / 16);
}

// Along integrate(), a foot held by four points: its rows depend on each other at any q.
TEST(ProductsWithRows, AreSlopesOfWholeCallsWhereABodyHasManyRows) {
  int looked_at = 0;
  for (int seed = 0; seed < test_robots() / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    MechanismOptions shape;
    shape.shape = Shape::chain, shape.links = random.integer(10, 24), shape.hinges_only = true;
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), shape, random.chance(0.5));
    const int n = robot.model->nv, last = static_cast<int>(robot.model->links.size()) - 1;
    std::vector<ConstraintSpec> specs;
    for (int corner = 0; corner < 4; ++corner) {
      specs.push_back(point_constraint(last, {corner < 2 ? -0.1 : 0.1, corner % 2 == 0 ? -0.1 : 0.1, 0.05}));
      specs.back().name = "corner_" + std::to_string(corner);
    }
    Workspace w(robot.model, ConstraintSet::bind(robot.model, specs));
    const State s = random_state(random, *robot.model);
    const VectorXd rest = VectorXd::Zero(n), g = random_vector(random, n), dq = random_vector(random, n);
    const Inputs<double> in = {s.q.data(), rest.data(), s.tau.data()};
    VectorXd by_q(n), dqdd(n), qdd[2] = {VectorXd(n), VectorXd(n)};
    ConstrainedGradient to;
    to.state.by_q = {by_q.data(), 0};
    if (constrained_dynamics_vjp(w, write, in, g.data(), nullptr, nullptr, nullptr, to) != Status::ok ||
        w.report().rank != 6)
      continue;
    ASSERT_EQ(constrained_dynamics_jvp(w, write, in, {{dq.data(), nullptr, nullptr}, nullptr}, nullptr,
                                       nullptr, dqdd.data(), nullptr),
              Status::ok);
    const double h = 3e-5;  // calls have rounding errors of 1e-10 where rows depend on each other
    for (int side = 0; side < 2; ++side) {
      std::vector<double> q(s.q.size());
      ASSERT_EQ(integrate(w, s.q.data(), dq.data(), side == 0 ? -h : h, q.data()), Status::ok);
      ASSERT_EQ(constrained_dynamics(w, {}, {q.data(), rest.data(), s.tau.data()}, qdd[side].data(), nullptr),
                Status::ok)
          << w.message();
    }
    const VectorXd slope = (qdd[1] - qdd[0]) / (2 * h);
    EXPECT_LE(largest(slope - dqdd), 1e-5 * larger(largest(dqdd), largest(qdd[0])));
    EXPECT_NEAR(g.dot(dqdd), by_q.dot(dq),
                1e-9 * larger(largest(by_q.cwiseAbs() + g.cwiseAbs()), largest(dqdd)));
    ++looked_at;
  }
  EXPECT_GT(looked_at, test_robots() / 16);
}

}  // namespace
}  // namespace tenon::testing
