// Derivatives by parameters as matrices, and all that is by parameters where loops are: against fourth-order differences of
// whole calls with other inertias, armatures, damping and friction, and against products with gradients.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "calls/derivatives/inertia_parameters.hpp"
#include "calls/derivatives/workspace_at.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/tello.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(40, test_robots() / 4);
constexpr DerivativeOptions write{};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Of x = [qdd; lambda], a row more than there is.
struct Matrices {
  explicit Matrices(const At& at, double value = nan)
      : n(at.n()), m(at.m()), by_inertia(MatrixXd::Constant(n + m + 1, at.columns(), value)) {
    by_armature = by_damping = by_friction = MatrixXd::Constant(n + m + 1, at.nv(), value);
  }
  ParameterDerivatives from(int row) {
    const auto part = [&](MatrixXd& x) { return DerivativeOut{x.data() + row, n + m + 1}; };
    return {part(by_inertia), part(by_armature), part(by_damping), part(by_friction)};
  }
  Status find(const At& at, const DerivativeOptions& options, VectorXd& x) {
    x.setConstant(n + m, nan);
    return constrained_dynamics_parameter_derivatives(at.w, options, at.in, x.data(), x.data() + n, from(0),
                                                      from(n));
  }
  std::vector<MatrixXd*> all() { return {&by_inertia, &by_armature, &by_damping, &by_friction}; }

  int n, m;
  MatrixXd by_inertia, by_armature, by_damping, by_friction;
};

struct Gradient {
  explicit Gradient(const At& at)
      : inertia(at.columns()),
        armature(at.nv()),
        damping(at.nv()),
        friction(at.nv()),
        wrenches(at.columns() / 10 * 6),
        gravity(3) {
    for (VectorXd* x : {&inertia, &armature, &damping, &friction, &wrenches, &gravity}) x->setConstant(nan);
  }
  ParameterGradient out() {
    return {inertia.data(),  armature.data(), damping.data(),
            friction.data(), wrenches.data(), gravity.data()};
  }
  VectorXd inertia, armature, damping, friction, wrenches, gravity;
};

// The slope of a call's result where set(h) changes what it depends on.
template <class Set, class Value>
VectorXd slope(double h, const Set& set, const Value& value) {
  const auto at = [&](double step) {
    set(step);
    return value();
  };
  const VectorXd near = at(h) - at(-h), far = at(2 * h) - at(-2 * h);
  set(0.0);
  return (8 * near - far) / (12 * h);
}

// Other parameters of all links: each of its own size, along a direction.
struct OtherInertias {
  OtherInertias(Workspace& w_, Random& random)
      : w(w_), pi(parameters_of(w)), along(random_vector(random, static_cast<int>(pi.size()))) {
    for (Eigen::Index l = 0; l < pi.size(); l += 10) {
      const double mass = pi[l], inertia = pi[l + 4] + pi[l + 7] + pi[l + 9];
      along.segment<4>(l) *= mass, along.segment<6>(l + 4) *= mass > 0 ? inertia : 0;
    }
  }
  void set(double step) const {
    for (std::size_t l = 0; l < w.model().links.size(); ++l) {
      const auto first = static_cast<Eigen::Index>(10 * l);
      if (w.model().links[l].is_frame || pi[first] == 0) continue;
      const Parameters there = pi.segment<10>(first) + step * along.segment<10>(first);
      EXPECT_EQ(set_link_inertia(w, static_cast<int>(l), inertia_of(there)), Status::ok) << w.message();
    }
  }
  Workspace& w;
  VectorXd pi, along;
};

// Friction that is not at rest, where it has no slope, and armatures.
void set_friction(Workspace& w, Random& random) {
  const int n = w.model().nv;
  const VectorXd more = random_vector(random, n).cwiseAbs(), damping = random_vector(random, n).cwiseAbs(),
                 dry = random_vector(random, n).cwiseAbs();
  EXPECT_EQ(set_joint_parameters(w, more.data(), damping.data(), dry.data()), Status::ok) << w.message();
}

// False where the call has no derivatives there.
bool check_matrices(const At& at, Random& random, double tolerance) {
  const int n = at.n(), m = at.m(), nv = at.nv();
  Matrices x(at);
  VectorXd solution;
  const Status status = x.find(at, write, solution);
  // Rows that contradict each other, dead centres.
  if (status == Status::unsupported || status == Status::singular_configuration ||
      status == Status::not_positive_definite)
    return false;
  EXPECT_EQ(status, Status::ok) << at.w.message();
  SolveOptions options;
  options.method = Method::dense;
  const auto value = [&] {
    VectorXd of_call(n + m);
    const Status solved = m > 0
                              ? constrained_dynamics(at.w, options, at.in, of_call.data(), of_call.data() + n)
                              : forward_dynamics(at.w, at.in, of_call.data());
    EXPECT_EQ(solved, Status::ok) << at.w.message();
    return of_call;
  };
  EXPECT_LE(largest(solution - value()), 1e-9 * (1 + largest(solution)));
  for (MatrixXd* matrix : x.all()) {
    EXPECT_TRUE(matrix->bottomRows(1).array().isNaN().all());
    *matrix = MatrixXd(matrix->topRows(n + m));
    EXPECT_TRUE(matrix->allFinite());
  }
  // Products with gradients.
  const VectorXd w = random_vector(random, n), z = random_vector(random, m);
  VectorXd both(n + m);
  both << w, z;
  Gradient g(at);
  EXPECT_EQ(
      constrained_dynamics_parameter_vjp(at.w, write, at.in, w.data(), z.data(), nullptr, nullptr, g.out()),
      Status::ok)
      << at.w.message();
  const auto expect_product = [&](const char* what, const MatrixXd& J, const VectorXd& product) {
    const VectorXd sizes = J.cwiseAbs().transpose() * both.cwiseAbs();
    // Where rows leave no motion all of it is rounding.
    EXPECT_LE(largest(VectorXd(J.transpose() * both - product)),
              1e-9 * (largest(sizes) + largest(product)) + 1e-12)
        << what;
  };
  expect_product("inertia", x.by_inertia, g.inertia), expect_product("armature", x.by_armature, g.armature);
  expect_product("damping", x.by_damping, g.damping), expect_product("friction", x.by_friction, g.friction);
  // Differences of calls.
  const auto expect_slope = [&](const char* what, const MatrixXd& J, const VectorXd& along, double h,
                                const auto& set) {
    const double size = largest(VectorXd(J.cwiseAbs() * along.cwiseAbs())) + largest(solution);
    EXPECT_LE(largest(VectorXd(J * along - slope(h, set, value))), tolerance * size) << what;
  };
  const OtherInertias other(at.w, random);
  expect_slope("inertia", x.by_inertia, other.along, 1e-4, [&](double step) { other.set(step); });
  VectorXd kept[3] = {VectorXd(nv), VectorXd(nv), VectorXd(nv)};
  joint_parameters(at.w, kept[0].data(), kept[1].data(), kept[2].data());
  const MatrixXd* const of_joints[] = {&x.by_armature, &x.by_damping, &x.by_friction};
  for (int which = 0; which < 3; ++which) {
    const VectorXd along = random_vector(random, nv).cwiseProduct(kept[which]);
    expect_slope(which == 0   ? "armature"
                 : which == 1 ? "damping"
                              : "friction",
                 *of_joints[which], along, 1e-3, [&](double step) {
                   const VectorXd moved = kept[which] + step * along;
                   const auto at_place = [&](int i) { return (i == which ? moved : kept[i]).data(); };
                   EXPECT_EQ(set_joint_parameters(at.w, at_place(0), at_place(1), at_place(2)), Status::ok);
                 });
  }
  // Added to what is there.
  Matrices sum(at, 2);
  VectorXd again;
  EXPECT_EQ(sum.find(at, {true}, again), Status::ok);
  for (std::size_t i = 0; i < 4; ++i) {
    const MatrixXd added = sum.all()[i]->topRows(n + m).array() - 2;
    EXPECT_LE(largest(MatrixXd(added - *x.all()[i])), 1e-9 * (2 + largest(*x.all()[i])));
  }
  return !::testing::Test::HasFailure();
}

TEST(ParameterMatrices, OfTreesWithoutAndWithRows) {
  int free = 0, held = 0, dependent = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 15);
    const Inputs<double> in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
    if (t.nv() == 0) continue;
    set_friction(t.w, t.random);
    free += check_matrices({t.w, in}, t.random, 1e-7) ? 1 : 0;
    Workspace w(t.robot.model, rows_on_tree(t));
    set_friction(w, t.random);
    const VectorXd desired = random_vector(t.random, w.constraints()->row_count());
    Inputs<double> with_rows = in;
    if (seed % 2 == 0) with_rows.desired = desired.data();
    if (w.constraints()->row_count() == 0 || !check_matrices({w, with_rows}, t.random, 1e-6)) continue;
    ++held, dependent += w.report().rank < w.constraints()->row_count() ? 1 : 0;
  }
  EXPECT_GE(free, robots / 2);
  EXPECT_GE(held, robots / 8);
  EXPECT_GE(dependent, 1);
}

TEST(ParameterMatrices, OfARobotThatDoesNotMove) {
  MovingTree t(random_robot(1, {Shape::chain, 1, false}, false), 1);
  ASSERT_EQ(t.nv(), 0);
  const double none[1] = {0};
  const At at = {t.w, {none, none, none}};
  VectorXd solution;
  EXPECT_EQ(Matrices(at).find(at, write, solution), Status::ok) << t.w.message();
}

TEST(ParameterMatrices, OfEmbeddedLoopsInBothCoordinates) {
  int taken[2] = {0, 0};
  for (int seed = 0; seed < 2 * robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 4);
    if (scene.model->loops.clusters.empty() || scene.model->ny == 0) continue;
    const bool with_rows = seed % 2 == 1;
    Random random(static_cast<std::uint64_t>(seed));
    const auto set = with_rows ? contacts(scene.model, random) : nullptr;
    MovingLoops t(scene, random, set);
    if (!t.regular()) continue;
    const VectorXd tau_y = random_vector(random, scene.model->ny);
    for (Workspace* w : {&t.w, &t.independent}) {
      const bool spanning = w == &t.w;
      set_friction(*w, random);
      const At at = {*w,
                     {t.q.data(), spanning ? t.v.data() : t.ydot.data(),
                      spanning ? t.tau.data() : tau_y.data(), t.wrenches.data()}};
      if (check_matrices(at, random, 1e-5)) ++taken[with_rows && at.m() > 0];
    }
  }
  EXPECT_GE(taken[0], robots / 4);
  EXPECT_GE(taken[1], robots / 8);
}

// Loops by rows are rows.
TEST(ParameterMatrices, OfLoopsByRows) {
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
    set_friction(w, random);
    if (check_matrices({w, {q.data(), v.data(), tau.data(), nullptr}}, random, 1e-5)) ++taken;
  }
  EXPECT_GE(taken, robots / 8);
}

// Y and gradients through inverse dynamics, which is linear in parameters.
// left: counts entries that were left as they are, of links that move.
void check_inverse(const At& at, Random& random, double tolerance, int& left) {
  const int n = at.n(), nv = at.nv(), columns = at.columns();
  MatrixXd Y = MatrixXd::Constant(n + 1, columns, nan), cleared = MatrixXd::Zero(n, columns),
           sparse = MatrixXd::Constant(n, columns, nan);
  ASSERT_EQ(joint_torque_regressor(at.w, at.in, true, Y.data(), n + 1), Status::ok) << at.w.message();
  EXPECT_TRUE(Y.bottomRows(1).array().isNaN().all());
  Y = MatrixXd(Y.topRows(n));
  ASSERT_EQ(joint_torque_regressor(at.w, at.in, false, cleared.data(), n), Status::ok);
  EXPECT_EQ(cleared, Y);
  ASSERT_EQ(joint_torque_regressor(at.w, at.in, false, sparse.data(), n), Status::ok);
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < columns; ++c) {
      if (!std::isnan(sparse(k, c))) continue;
      EXPECT_EQ(Y(k, c), 0);
      left += largest(Y.middleCols(c / 10 * 10, 10)) > 0 ? 1 : 0;
    }
  const auto torques = [&] {
    VectorXd tau(n);
    EXPECT_EQ(inverse_dynamics(at.w, at.in, tau.data()), Status::ok) << at.w.message();
    return tau;
  };
  const VectorXd tau = torques(), gradient = random_vector(random, n);
  const double size = 1 + largest(tau) + largest(VectorXd(Y.cwiseAbs() * parameters_of(at.w).cwiseAbs()));
  Gradient g(at);
  VectorXd given(n);
  ASSERT_EQ(inverse_dynamics_parameter_vjp(at.w, write, at.in, gradient.data(), given.data(), g.out()),
            Status::ok)
      << at.w.message();
  EXPECT_LE(largest(given - tau), 1e-10 * size);
  EXPECT_LE(largest(g.inertia - Y.transpose() * gradient),
            1e-10 * (1 + largest(VectorXd(Y.cwiseAbs().transpose() * gradient.cwiseAbs()))));
  const auto expect_change = [&](const char* what, double expected, const auto& set) {
    set(1.0);
    const double change = gradient.dot(torques() - tau);
    set(0.0);
    EXPECT_NEAR(change, expected, tolerance * size * n * (1 + largest(gradient))) << what;
  };
  const OtherInertias other(at.w, random);
  const VectorXd by_inertia = slope(
      1e-4, [&](double step) { other.set(step); }, torques);
  EXPECT_LE(largest(VectorXd(Y * other.along - by_inertia)), 1e2 * tolerance * size);
  VectorXd kept[3] = {VectorXd(nv), VectorXd(nv), VectorXd(nv)};
  joint_parameters(at.w, kept[0].data(), kept[1].data(), kept[2].data());
  const VectorXd* const by[] = {&g.armature, &g.damping, &g.friction};
  for (int which = 0; which < 3; ++which) {
    const VectorXd along = random_vector(random, nv).cwiseAbs();
    expect_change(which == 0   ? "armature"
                  : which == 1 ? "damping"
                               : "friction",
                  by[which]->dot(along), [&](double step) {
                    const VectorXd moved = kept[which] + step * along;
                    const auto place = [&](int i) { return (i == which ? moved : kept[i]).data(); };
                    EXPECT_EQ(set_joint_parameters(at.w, place(0), place(1), place(2)), Status::ok);
                  });
  }
  const Vector3 down = at.w.gravity();
  expect_change("gravity", g.gravity[0] - 2 * g.gravity[1] + 3 * g.gravity[2], [&](double step) {
    at.w.set_gravity({down[0] + step, down[1] - 2 * step, down[2] + 3 * step});
  });
  VectorXd wrenches = VectorXd::Map(at.in.wrenches, at.columns() / 10 * 6);
  const VectorXd pull = random_vector(random, static_cast<int>(wrenches.size()));
  wrenches += pull;
  Inputs<double> pulled = at.in;
  pulled.wrenches = wrenches.data();
  VectorXd after(n);
  ASSERT_EQ(inverse_dynamics(at.w, pulled, after.data()), Status::ok);
  EXPECT_NEAR(g.wrenches.dot(pull), gradient.dot(after - tau),
              tolerance * (size + largest(after)) * n * (1 + largest(gradient)));
}

TEST(ParameterMatrices, InverseDynamicsOfLoops) {
  int taken = 0, left[2] = {0, 0};
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 4);
    if (scene.model->ny == 0 || scene.model->loops.clusters.empty()) continue;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random);
    if (!t.regular()) continue;
    for (Workspace* w : {&t.w, &t.independent}) {
      set_friction(*w, random);
      const bool spanning = w == &t.w;
      check_inverse({*w,
                     {t.q.data(), spanning ? t.v.data() : t.ydot.data(), nullptr, t.wrenches.data(), nullptr,
                      spanning ? t.qdd.data() : t.yddot.data()}},
                    random, 1e-10, left[spanning]);
    }
    ++taken;
  }
  EXPECT_GE(taken, robots / 4);
  EXPECT_GT(left[0], 0);
  EXPECT_GT(left[1], left[0]);
}

// By loops of functions of the user, which have no derivatives by positions.
TEST(ParameterMatrices, OfLoopsByFunctions) {
  const LoopScene scene = loop_scene(tello(), {});
  Random random(5);
  MovingLoops t(scene, random);
  ASSERT_TRUE(t.regular(1e3));
  const VectorXd tau_y = random_vector(random, scene.model->ny);
  int left = 0;
  for (Workspace* w : {&t.w, &t.independent}) {
    const bool spanning = w == &t.w;
    const double* const v = spanning ? t.v.data() : t.ydot.data();
    set_friction(*w, random);
    EXPECT_TRUE(check_matrices(
        {*w, {t.q.data(), v, spanning ? t.tau.data() : tau_y.data(), t.wrenches.data()}}, random, 1e-5));
    check_inverse(
        {*w, {t.q.data(), v, nullptr, t.wrenches.data(), nullptr, spanning ? t.qdd.data() : t.yddot.data()}},
        random, 1e-9, left);
  }
}

// Loops embedded and by rows: forward dynamics has the rows, its derivatives are those of constrained dynamics.
TEST(ParameterMatrices, ForwardDynamicsOfLoopsOfBothKindsIsRefused) {
  int taken = 0;
  for (int seed = 0; seed < 200 && taken < 3; ++seed) {
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 4);
    std::vector<bool> embedded(scene.mechanism.loops.size(), true);
    if (embedded.size() < 2) continue;
    embedded[0] = false;
    const LoopScene both = with_row_loops(scene, embedded);
    if (both.model->loops.clusters.empty() || both.model->row_loops.empty()) continue;
    Workspace w(both.model, nullptr);
    const int n = w.model().nv;
    const VectorXd zero = VectorXd::Zero(n), q = in_order_of(*both.model, *scene.model, scene.q, true);
    VectorXd gradient = VectorXd::Ones(n), out = VectorXd::Constant(n, 7);
    const Inputs<double> in = {q.data(), zero.data(), zero.data()};
    ParameterGradient by;
    by.by_damping = out.data();
    EXPECT_EQ(forward_dynamics_parameter_vjp(w, write, in, gradient.data(), nullptr, by),
              Status::unsupported);
    EXPECT_EQ(forward_dynamics_vjp(w, write, in, gradient.data(), nullptr, {{}, {out.data(), 0}, {}}),
              Status::unsupported);
    MatrixXd J(n, n);
    EXPECT_EQ(forward_dynamics_derivatives(w, write, in, nullptr, {{J.data(), n}, {}, {}}),
              Status::unsupported);
    EXPECT_EQ(forward_dynamics_jvp(w, write, in, {gradient.data(), nullptr, nullptr}, nullptr, out.data()),
              Status::unsupported);
    EXPECT_EQ(out, VectorXd::Constant(n, 7));
    ++taken;
  }
  EXPECT_EQ(taken, 3);
}

}  // namespace
}  // namespace tenon::testing
