// Derivatives by external wrenches and by gravity as matrices. Solutions are affine in both, so that they are differences of
// whole calls without an error of truncation; and products with gradients are those of the functions that form no matrix.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <numeric>

#include "calls/derivatives/workspace_at.hpp"
#include "support/largest.hpp"
#include "support/tello.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/kinematics_derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(40, test_robots() / 4);
constexpr DerivativeOptions write{};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Some links of a model in any order, extra frames and links that do not move among them, now and then all or none.
std::vector<std::int32_t> random_links(Random& random, int count) {
  std::vector<std::int32_t> links(static_cast<std::size_t>(count));
  std::iota(links.begin(), links.end(), 0);
  for (int i = count - 1; i > 0; --i)
    std::swap(links[static_cast<std::size_t>(i)], links[static_cast<std::size_t>(random.integer(0, i))]);
  if (!random.chance(0.3)) links.resize(static_cast<std::size_t>(random.integer(0, count)));
  if (links.size() > 1 && random.chance(0.2)) links[0] = links[1];
  return links;
}

// Of x = [qdd; lambda], a row more than there is.
struct Matrices {
  Matrices(const At& at, const std::vector<std::int32_t>& links_, double value = nan)
      : n(at.n()),
        m(at.m()),
        links(links_),
        by_wrenches(MatrixXd::Constant(n + m + 1, 6 * count(), value)),
        by_gravity(MatrixXd::Constant(n + m + 1, 3, value)) {}
  int count() const { return static_cast<int>(links.size()); }
  LoadDerivatives from(int row) {
    double* const of_wrenches = count() > 0 ? by_wrenches.data() + row : nullptr;  // no links, no numbers
    return {{of_wrenches, n + m + 1}, {by_gravity.data() + row, n + m + 1}};
  }
  Status find(const At& at, const DerivativeOptions& options, VectorXd& x) {
    x.setConstant(n + m, nan);
    return constrained_dynamics_load_derivatives(at.w, options, {links.data(), count()}, at.in, x.data(),
                                                 x.data() + n, from(0), from(n));
  }

  int n, m;
  std::vector<std::int32_t> links;
  MatrixXd by_wrenches, by_gravity;
};

// [qdd; lambda] of a call with other wrenches and another gravity.
VectorXd solution_with(const At& at, const VectorXd& wrenches, const Vector3& gravity) {
  const int n = at.n(), m = at.m();
  const Vector3 kept = at.w.gravity();
  at.w.set_gravity(gravity);
  Inputs<double> in = at.in;
  in.wrenches = wrenches.data();
  SolveOptions options;
  options.method = Method::dense;
  VectorXd x = VectorXd::Constant(n + m, nan);
  const Status status = m > 0 ? constrained_dynamics(at.w, options, in, x.data(), x.data() + n)
                              : forward_dynamics(at.w, in, x.data());
  EXPECT_EQ(status, Status::ok) << at.w.message();
  at.w.set_gravity(kept);
  return x;
}

VectorXd wrenches_of(const At& at) {
  const int count = 6 * at.links();
  return at.in.wrenches ? VectorXd(VectorXd::Map(at.in.wrenches, count)) : VectorXd(VectorXd::Zero(count));
}

// False where the call has no derivatives there.
bool check_matrices(const At& at, Random& random, double tolerance) {
  const int n = at.n(), m = at.m();
  Matrices x(at, random_links(random, at.links()));
  VectorXd solution;
  const Status status = x.find(at, write, solution);
  // Rows that contradict each other, dead centres.
  if (status == Status::unsupported || status == Status::singular_configuration ||
      status == Status::not_positive_definite)
    return false;
  EXPECT_EQ(status, Status::ok) << at.w.message();
  const Vector3 down = at.w.gravity();
  const VectorXd given = wrenches_of(at);
  EXPECT_LE(largest(VectorXd(solution - solution_with(at, given, down))), 1e-9 * (1 + largest(solution)));
  for (MatrixXd* matrix : {&x.by_wrenches, &x.by_gravity}) {
    if (matrix->cols() == 0) {  // no links; Eigen has rows of no numbers at no address
      matrix->resize(n + m, 0);
      continue;
    }
    EXPECT_TRUE(matrix->bottomRows(1).array().isNaN().all());
    *matrix = MatrixXd(matrix->topRows(n + m));
    EXPECT_TRUE(matrix->allFinite());
  }
  // Differences of calls.
  const VectorXd along = random_vector(random, 6 * x.count(), 5), turn = random_vector(random, 3, 5);
  VectorXd pulled = given;
  for (int i = 0; i < x.count(); ++i)
    pulled.segment<6>(6 * x.links[static_cast<std::size_t>(i)]) += along.segment<6>(6 * i);
  const auto expect_difference = [&](const char* what, const MatrixXd& J, const VectorXd& by,
                                     const VectorXd& after) {
    const double size = largest(VectorXd(J.cwiseAbs() * by.cwiseAbs())) + largest(solution) + largest(after);
    EXPECT_LE(largest(VectorXd(solution + J * by - after)), tolerance * size) << what;
  };
  expect_difference("wrenches", x.by_wrenches, along, solution_with(at, pulled, down));
  const Vector3 other = {down[0] + turn[0], down[1] + turn[1], down[2] + turn[2]};
  expect_difference("gravity", x.by_gravity, turn, solution_with(at, given, other));
  // Products with gradients.
  const VectorXd w = random_vector(random, n), z = random_vector(random, m);
  VectorXd both(n + m), by_wrenches = VectorXd::Constant(6 * at.links(), nan), by_gravity(3);
  both << w, z;
  ParameterGradient out;
  out.by_wrenches = by_wrenches.data(), out.by_gravity = by_gravity.data();
  EXPECT_EQ(constrained_dynamics_parameter_vjp(at.w, write, at.in, w.data(), z.data(), nullptr, nullptr, out),
            Status::ok)
      << at.w.message();
  const auto expect_product = [&](const char* what, const MatrixXd& all, const MatrixXd& J,
                                  const VectorXd& product) {
    const double size = largest(VectorXd(all.cwiseAbs().transpose() * both.cwiseAbs())) + largest(product);
    EXPECT_LE(largest(VectorXd(J.transpose() * both - product)), 1e-9 * size) << what;
  };
  for (int i = 0; i < x.count(); ++i)
    expect_product("a wrench", x.by_wrenches, x.by_wrenches.middleCols<6>(6 * i),
                   by_wrenches.segment<6>(6 * x.links[static_cast<std::size_t>(i)]));
  expect_product("gravity", x.by_gravity, x.by_gravity, by_gravity);
  // Added to what is there.
  Matrices sum(at, x.links, 2);
  VectorXd again;
  EXPECT_EQ(sum.find(at, {true}, again), Status::ok);
  const auto expect_sum = [&](const MatrixXd& added, const MatrixXd& once) {
    if (added.cols() == 0) return;
    const MatrixXd left = (added.topRows(n + m).array() - 2).matrix() - once;
    EXPECT_LE(largest(left), 1e-9 * (2 + largest(once)));
    EXPECT_TRUE((added.bottomRows(1).array() == 2).all());
  };
  expect_sum(sum.by_wrenches, x.by_wrenches), expect_sum(sum.by_gravity, x.by_gravity);
  return !::testing::Test::HasFailure();
}

TEST(LoadMatrices, OfTreesWithoutAndWithRows) {
  int free = 0, held = 0, dependent = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 15);
    if (t.nv() == 0) continue;
    const Inputs<double> in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
    free += check_matrices({t.w, in}, t.random, 1e-9) ? 1 : 0;
    Workspace w(t.robot.model, rows_on_tree(t));
    const VectorXd desired = random_vector(t.random, w.constraints()->row_count());
    Inputs<double> with_rows = in;
    if (seed % 2 == 0) with_rows.desired = desired.data();
    if (seed % 3 == 0) with_rows.wrenches = nullptr;
    if (w.constraints()->row_count() == 0 || !check_matrices({w, with_rows}, t.random, 1e-8)) continue;
    ++held, dependent += w.report().rank < w.constraints()->row_count() ? 1 : 0;
  }
  EXPECT_GE(free, robots / 2);
  EXPECT_GE(held, robots / 8);
  EXPECT_GE(dependent, 1);
}

TEST(LoadMatrices, OfARobotThatDoesNotMove) {
  MovingTree t(random_robot(1, {Shape::chain, 1, false}, false), 1);
  ASSERT_EQ(t.nv(), 0);
  const double none[1] = {0};
  const At at = {t.w, {none, none, none}};
  VectorXd solution;
  EXPECT_EQ(Matrices(at, {0}).find(at, write, solution), Status::ok) << t.w.message();
}

TEST(LoadMatrices, OfEmbeddedLoopsInBothCoordinates) {
  int taken[2] = {0, 0};
  for (int seed = 0; seed < 2 * robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 4);
    if (scene.model->loops.clusters.empty() || scene.model->ny == 0) continue;
    const bool with_rows = seed % 2 == 1;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random, with_rows ? contacts(scene.model, random) : nullptr);
    if (!t.regular()) continue;
    for (Workspace* w : {&t.w, &t.independent}) {
      const bool spanning = w == &t.w;
      const At at = {*w,
                     {t.q.data(), spanning ? t.v.data() : t.ydot.data(),
                      spanning ? t.tau.data() : t.tau_y.data(), t.wrenches.data()}};
      if (check_matrices(at, random, 1e-7)) ++taken[with_rows && at.m() > 0];
    }
  }
  EXPECT_GE(taken[0], robots / 4);
  EXPECT_GE(taken[1], robots / 8);
}

// Loops by rows are rows.
TEST(LoadMatrices, OfLoopsByRows) {
  int taken = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.mechanism.loops.empty()) continue;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random);
    if (!t.regular()) continue;
    const LoopScene rows = with_row_loops(scene, std::vector<bool>(scene.mechanism.loops.size(), false));
    Workspace w(rows.model, nullptr);
    const VectorXd q = in_order_of(*rows.model, *scene.model, t.q, true),
                   v = in_order_of(*rows.model, *scene.model, t.v, false),
                   tau = in_order_of(*rows.model, *scene.model, t.tau, false);
    if (check_matrices({w, {q.data(), v.data(), tau.data(), nullptr}}, random, 1e-7)) ++taken;
  }
  EXPECT_GE(taken, robots / 8);
}

// By loops of functions of the user, which have no derivatives by positions.
TEST(LoadMatrices, OfLoopsByFunctions) {
  const LoopScene scene = loop_scene(tello(), {});
  Random random(5);
  MovingLoops t(scene, random);
  ASSERT_TRUE(t.regular(1e3));
  for (Workspace* w : {&t.w, &t.independent}) {
    const bool spanning = w == &t.w;
    EXPECT_TRUE(check_matrices({*w,
                                {t.q.data(), spanning ? t.v.data() : t.ydot.data(),
                                 spanning ? t.tau.data() : t.tau_y.data(), t.wrenches.data()}},
                               random, 1e-7));
  }
}

// What the header says of inverse dynamics: - J^T of kinematics, and what gravity forces have.
void check_inverse(const At& at, Random& random) {
  const int n = at.n();
  const auto torques = [&](const VectorXd& wrenches) {
    Inputs<double> in = at.in;
    in.wrenches = wrenches.data();
    VectorXd tau(n);
    EXPECT_EQ(inverse_dynamics(at.w, in, tau.data()), Status::ok) << at.w.message();
    return tau;
  };
  const VectorXd given = wrenches_of(at), tau = torques(given);
  const std::int32_t link = static_cast<std::int32_t>(random.integer(0, at.links() - 1));
  const VectorXd pull = random_vector(random, 6, 5);
  VectorXd pulled = given;
  pulled.segment<6>(6 * link) += pull;
  MatrixXd J(6, n), by_gravity(n, 3);
  ASSERT_EQ(kinematics(at.w, at.in.q, nullptr, nullptr), Status::ok) << at.w.message();
  ASSERT_EQ(link_jacobian(at.w, link, RowAxes::link, J.data(), 6), Status::ok) << at.w.message();
  const VectorXd after = torques(pulled);
  EXPECT_LE(largest(VectorXd(tau - J.transpose() * pull - after)),
            1e-9 * (1 + largest(tau) + largest(after)));
  ASSERT_EQ(gravity_force_derivatives(at.w, write, at.in.q, nullptr, {}, {by_gravity.data(), n}), Status::ok);
  const Vector3 down = at.w.gravity();
  at.w.set_gravity({down[0] + 1, down[1] - 2, down[2] + 3});
  const VectorXd turned = torques(given);
  at.w.set_gravity(down);
  EXPECT_LE(largest(VectorXd(tau + by_gravity * Eigen::Vector3d(1, -2, 3) - turned)),
            1e-9 * (1 + largest(tau) + largest(turned)));
}

TEST(LoadMatrices, OfInverseDynamicsAreThoseOfKinematicsAndGravityForces) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 15);
    if (t.nv() > 0)
      check_inverse({t.w, {t.s.q.data(), t.s.v.data(), nullptr, nullptr, nullptr, t.s.a.data()}}, t.random);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.model->ny == 0) continue;
    MovingLoops loops(scene, t.random);
    if (!loops.regular()) continue;
    check_inverse({loops.w, {loops.q.data(), loops.v.data(), nullptr, nullptr, nullptr, loops.qdd.data()}},
                  t.random);
    check_inverse({loops.independent,
                   {loops.q.data(), loops.ydot.data(), nullptr, nullptr, nullptr, loops.yddot.data()}},
                  t.random);
  }
}

}  // namespace
}  // namespace tenon::testing
