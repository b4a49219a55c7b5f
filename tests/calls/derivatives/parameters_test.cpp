// Derivatives by inertial parameters: regressors against inverse dynamics and energy, products against matrices and
// differences of whole calls, the log-Cholesky chart by complex steps.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <complex>
#include <limits>

#include "calls/derivatives/inertia_parameters.hpp"
#include "spatial/log_cholesky.hpp"
#include "support/largest.hpp"
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

struct Gradient {
  Gradient(int n, int parameters)
      : inertia(parameters), armature(n), damping(n), friction(n), wrenches(parameters / 10 * 6), gravity(3) {
    for (VectorXd* x : {&inertia, &armature, &damping, &friction, &wrenches, &gravity})
      x->setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  ParameterGradient out() {
    return {inertia.data(),  armature.data(), damping.data(),
            friction.data(), wrenches.data(), gravity.data()};
  }
  VectorXd inertia, armature, damping, friction, wrenches, gravity;
};

struct Scene {
  explicit Scene(MovingTree& t_) : t(t_), w(t.w), pi(parameters_of(w)), Y(t.nv() + 2, pi.size()) {
    const int n = t.nv();
    Y.setConstant(std::numeric_limits<double>::quiet_NaN());
    inverse_in = {t.s.q.data(), t.s.v.data(), nullptr, nullptr, nullptr, t.s.a.data()};
    forward_in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
    armature.resize(n), damping = VectorXd::Zero(n), friction = VectorXd::Zero(n);
    joint_parameters(w, armature.data(), damping.data(), friction.data());
    EXPECT_EQ(joint_torque_regressor(w, inverse_in, true, Y.data(), n + 2), Status::ok) << w.message();
  }
  VectorXd velocities() const { return VectorXd::Map(t.s.v.data(), t.nv()); }
  VectorXd accelerations() const { return VectorXd::Map(t.s.a.data(), t.nv()); }

  MovingTree& t;
  Workspace& w;
  VectorXd pi, armature, damping, friction;
  MatrixXd Y;  // two more rows
  Inputs<double> inverse_in, forward_in;
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

// Columns of a link are slopes of inverse dynamics, tau, which is linear in its parameters. terms: the size of its terms.
void expect_slopes(Scene& s, int link, const VectorXd& tau, double terms) {
  if (s.w.model().links[static_cast<std::size_t>(link)].is_frame) return;
  const LinkInertia before = link_inertia(s.w, link);
  const Parameters own = parameters_of(before);
  Parameters changed = own;
  changed[0] += 1, changed[1] += 0.25, changed[2] -= 0.125, changed[3] += 0.5;
  changed[4] += 2, changed[5] += 0.25, changed[6] -= 0.125, changed[7] += 2.5, changed[8] += 0.25,
      changed[9] += 3;
  ASSERT_EQ(set_link_inertia(s.w, link, inertia_of(changed)), Status::ok) << s.w.message();
  const int n = s.t.nv();
  VectorXd after(n);
  ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, after.data()), Status::ok);
  const VectorXd change = s.Y.topRows(n).middleCols(10 * link, 10) * (changed - own);
  EXPECT_LE(largest(after - tau - change), 1e-11 * (terms + largest(after)));
  ASSERT_EQ(set_link_inertia(s.w, link, before), Status::ok) << s.w.message();
}

TEST(Parameters, RegressorTimesParametersIsInverseDynamics) {
  for_scenes(robots, 30, [](Scene& s) {
    const int n = s.t.nv();
    VectorXd tau(n);
    ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, tau.data()), Status::ok);
    const auto Y = s.Y.topRows(n);
    ASSERT_TRUE(Y.allFinite());
    EXPECT_TRUE(s.Y.bottomRows(2).array().isNaN().all());
    MatrixXd cleared = MatrixXd::Zero(n, s.pi.size());
    ASSERT_EQ(joint_torque_regressor(s.w, s.inverse_in, false, cleared.data(), n), Status::ok);
    EXPECT_EQ(cleared, MatrixXd(Y));
    const VectorXd mine = Y * s.pi + s.armature.cwiseProduct(s.accelerations());
    const double terms = largest(Y.cwiseAbs() * s.pi.cwiseAbs()) + largest(tau);
    EXPECT_LE(largest(mine - tau), 1e-12 * terms);
    const auto l =
        static_cast<int>(static_cast<std::size_t>(s.t.random.integer(0, 1 << 20)) % s.w.model().links.size());
    expect_slopes(s, l, tau, terms);
  });
}

// Many links are fixed to others, with the same axes and with others.
TEST(Parameters, RegressorOfLinksThatAreFixedToOthers) {
  for (const char* name : {"go1", "panda_arm", "shadow_hand"}) {
    SCOPED_TRACE(name);
    Robot robot;
    robot.mechanism = load_urdf(std::string(TENON_MODELS_DIR "/") + name + ".urdf");
    robot.options.floating_base = std::string(name) == "go1";
    robot.model = Model::compile(robot.mechanism, robot.options);
    MovingTree tree(std::move(robot), 1);
    Scene s(tree);
    VectorXd tau(tree.nv());
    ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, tau.data()), Status::ok);
    for (int l = 0; l < static_cast<int>(s.w.model().links.size()) && !HasFailure(); ++l) {
      SCOPED_TRACE(s.w.model().links[static_cast<std::size_t>(l)].name);
      expect_slopes(s, l, tau, 100 * largest(tau));
    }
  }
}

TEST(Parameters, RegressorsOfEnergyTimesParametersAreEnergy) {
  for_scenes(robots, 30, [](Scene& s) {
    ASSERT_EQ(kinematics(s.w, s.t.s.q.data(), s.t.s.v.data(), nullptr), Status::ok);
    VectorXd kinetic(s.pi.size()), potential(s.pi.size());
    double expected[2];
    ASSERT_EQ(energy(s.w, expected, expected + 1), Status::ok);
    ASSERT_EQ(energy_regressors(s.w, kinetic.data(), potential.data()), Status::ok) << s.w.message();
    const VectorXd v = s.velocities();
    const double of_armature = 0.5 * v.dot(s.armature.cwiseProduct(v));
    EXPECT_NEAR(kinetic.dot(s.pi) + of_armature, expected[0],
                1e-12 * (kinetic.cwiseAbs().dot(s.pi.cwiseAbs()) + of_armature));
    EXPECT_NEAR(potential.dot(s.pi), expected[1], 1e-12 * potential.cwiseAbs().dot(s.pi.cwiseAbs()));
  });
}

TEST(Parameters, GradientsThroughDynamicsAreProductsOfTheMatrix) {
  for_scenes(robots, 20, [](Scene& s) {
    const int n = s.t.nv(), count = static_cast<int>(s.pi.size());
    const VectorXd gradient = random_vector(s.t.random, n), v = s.velocities();
    Gradient inverse(n, count);
    VectorXd tau(n), expected_tau(n);
    ASSERT_EQ(
        inverse_dynamics_parameter_vjp(s.w, write, s.inverse_in, gradient.data(), tau.data(), inverse.out()),
        Status::ok)
        << s.w.message();
    ASSERT_EQ(inverse_dynamics(s.w, s.inverse_in, expected_tau.data()), Status::ok);
    EXPECT_LE(largest(tau - expected_tau), 1e-12 * largest(expected_tau));
    const auto expect_of = [&](const Gradient& g, const VectorXd& y, const VectorXd& a, double tolerance) {
      const auto Y = s.Y.topRows(n);
      EXPECT_LE(largest(g.inertia - Y.transpose() * y),
                tolerance * largest(Y.cwiseAbs().transpose() * y.cwiseAbs()));
      EXPECT_LE(largest(g.armature - y.cwiseProduct(a)), tolerance * largest(y) * largest(a));
      EXPECT_LE(largest(g.damping - y.cwiseProduct(v)), tolerance * largest(y) * largest(v));
      EXPECT_LE(largest(g.friction - VectorXd(y.cwiseProduct(v.cwiseSign()))), tolerance * largest(y));
    };
    expect_of(inverse, gradient, s.accelerations(), 1e-12);
    // Through forward dynamics.
    VectorXd qdd(n), other(n);
    MatrixXd inverse_mass(n, n);
    Gradient forward(n, count);
    ASSERT_EQ(
        forward_dynamics_parameter_vjp(s.w, write, s.forward_in, gradient.data(), qdd.data(), forward.out()),
        Status::ok)
        << s.w.message();
    ASSERT_EQ(forward_dynamics_derivatives(s.w, write, s.forward_in, other.data(),
                                           {{}, {}, {inverse_mass.data(), n}}),
              Status::ok);
    const VectorXd y = -(inverse_mass * gradient);
    ASSERT_EQ(
        joint_torque_regressor(s.w, {s.t.s.q.data(), s.t.s.v.data(), nullptr, nullptr, nullptr, qdd.data()},
                               true, s.Y.data(), n + 2),
        Status::ok);
    expect_of(forward, y, qdd, 1e-9);
    // Accumulated.
    Gradient twice = forward;
    ASSERT_EQ(
        forward_dynamics_parameter_vjp(s.w, {true}, s.forward_in, gradient.data(), nullptr, twice.out()),
        Status::ok);
    EXPECT_EQ(twice.inertia, 2 * forward.inertia);
    EXPECT_EQ(twice.friction, 2 * forward.friction);
  });
}

// Slopes of L = gradient . qdd + z . lambda by single parameters.
TEST(Parameters, GradientsThroughConstrainedDynamicsAreSlopesOfCalls) {
  int taken = 0;
  for (int seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 12);
    if (t.nv() == 0 || t.robot.model->links.size() < 2) continue;
    const auto set = random_point(t.random, t.robot.model);
    Workspace w(t.robot.model, set);
    const int n = t.nv(), m = set->row_count();
    const Inputs<double> in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
    const VectorXd gradient = random_vector(t.random, n), z = random_vector(t.random, m);
    VectorXd damping = VectorXd::Constant(n, 0.3), friction = VectorXd::Constant(n, 0.2), armature(n);
    joint_parameters(w, armature.data(), nullptr, nullptr);
    ASSERT_EQ(set_joint_parameters(w, nullptr, damping.data(), friction.data()), Status::ok);
    VectorXd qdd(n), lambda(m);
    SolveOptions options;
    options.method = Method::dense;
    const auto value = [&] {
      EXPECT_EQ(constrained_dynamics(w, options, in, qdd.data(), lambda.data()), Status::ok) << w.message();
      return gradient.dot(qdd) + z.dot(lambda);
    };
    const VectorXd pi = parameters_of(w);
    Gradient g(n, static_cast<int>(pi.size()));
    const Status status = constrained_dynamics_parameter_vjp(w, write, in, gradient.data(), z.data(),
                                                             qdd.data(), lambda.data(), g.out());
    if (status == Status::unsupported) continue;  // rows that contradict each other
    ASSERT_EQ(status, Status::ok) << w.message();
    ++taken;
    const double size = std::abs(value()) + largest(qdd) + largest(lambda);
    // Of fourth order: with steps ten times as short the rounding errors of L, which a solve amplifies by the condition of
    // its matrix, are twenty times larger and most of the difference; with steps ten times as long its curvature is.
    const auto expect_slope = [&](double expected, double h, const auto& set_to) {
      double slopes[2];  // of steps h and h / 2
      for (int half = 0; half < 2; ++half) {
        const double step = half == 0 ? h : 0.5 * h;
        set_to(step);
        const double above = value();
        set_to(-step);
        slopes[half] = (above - value()) / (2 * step);
      }
      set_to(0);
      EXPECT_NEAR(expected, (4 * slopes[1] - slopes[0]) / 3, 1e-6 * (std::abs(expected) + size / h * 1e-7));
    };
    for (int l = 0; l < static_cast<int>(w.model().links.size()); ++l) {
      const Parameters here = pi.segment<10>(10 * l);
      if (w.model().links[static_cast<std::size_t>(l)].is_frame || here[0] == 0) continue;
      for (int c = 0; c < 10; ++c) {
        SCOPED_TRACE(::testing::Message() << "link " << l << " parameter " << c);
        const double h = 1e-4 * (c < 4 ? here[0] : here[4] + here[7] + here[9]);
        expect_slope(g.inertia[10 * l + c], h, [&](double step) {
          Parameters changed = here;
          changed[c] += step;
          EXPECT_EQ(set_link_inertia(w, l, inertia_of(changed)), Status::ok) << w.message();
        });
      }
    }
    for (int k = 0; k < n; ++k) {
      const auto moved = [&](const VectorXd& x, double step) {
        VectorXd y = x;
        y[k] += step;
        return y;
      };
      const auto set_joints = [&](const double* a, const double* d, const double* f) {
        EXPECT_EQ(set_joint_parameters(w, a, d, f), Status::ok) << w.message();
      };
      expect_slope(g.damping[k], 1e-3,
                   [&](double h) { set_joints(nullptr, moved(damping, h).data(), nullptr); });
      expect_slope(g.friction[k], 1e-3,
                   [&](double h) { set_joints(nullptr, nullptr, moved(friction, h).data()); });
      const VectorXd more = armature.array() + 0.01;
      set_joints(more.data(), nullptr, nullptr);
      Gradient there(n, static_cast<int>(pi.size()));
      ASSERT_EQ(constrained_dynamics_parameter_vjp(w, write, in, gradient.data(), z.data(), nullptr, nullptr,
                                                   there.out()),
                Status::ok);
      expect_slope(there.armature[k], 1e-4,
                   [&](double h) { set_joints(moved(more, h).data(), nullptr, nullptr); });
      set_joints(armature.data(), nullptr, nullptr);
    }
  }
  EXPECT_GE(taken, 20);
}

// Dynamics is linear in wrenches and gravity, so one long step along them gives the slope.
TEST(Parameters, GradientsByWrenchesAndGravityAreDifferencesOfCalls) {
  int with_rows = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 20);
    if (t.nv() == 0 || t.robot.model->links.size() < 2) continue;
    const auto set = random_point(t.random, t.robot.model);
    Workspace w(t.robot.model, set);
    const int n = t.nv(), m = set->row_count(), links = static_cast<int>(w.model().links.size());
    const Vector3 down = {1, -2, -9};
    w.set_gravity(down);
    VectorXd wrenches = VectorXd::Map(t.s.wrenches.data(), 6 * links), result(n), lambda(m);
    const VectorXd of_result = random_vector(t.random, n), z = random_vector(t.random, m);
    SolveOptions options;
    options.method = Method::dense;
    enum { inverse, forward, constrained };
    const auto value = [&](int which, double& size) {
      const Inputs<double> in = {t.s.q.data(),    t.s.v.data(), t.s.tau.data(),
                                 wrenches.data(), nullptr,      t.s.a.data()};
      const Status status = which == inverse ? inverse_dynamics(w, in, result.data())
                            : which == forward
                                ? forward_dynamics(w, in, result.data())
                                : constrained_dynamics(w, options, in, result.data(), lambda.data());
      EXPECT_EQ(status, Status::ok) << w.message();
      const bool rows = which == constrained && m > 0;
      size = std::max({size, largest(result), rows ? largest(lambda) : 0.0});
      return of_result.dot(result) + (rows ? z.dot(lambda) : 0.0);
    };
    for (const int which : {inverse, forward, constrained}) {
      const Inputs<double> in = {t.s.q.data(),    t.s.v.data(), t.s.tau.data(),
                                 wrenches.data(), nullptr,      t.s.a.data()};
      Gradient g(n, 10 * links);
      const Status status =
          which == inverse ? inverse_dynamics_parameter_vjp(w, write, in, of_result.data(), nullptr, g.out())
          : which == forward
              ? forward_dynamics_parameter_vjp(w, write, in, of_result.data(), nullptr, g.out())
              : constrained_dynamics_parameter_vjp(w, write, in, of_result.data(), z.data(), nullptr, nullptr,
                                                   g.out());
      if (which == constrained && status == Status::unsupported) continue;  // rows that contradict each other
      ASSERT_EQ(status, Status::ok) << w.message();
      if (which == constrained && m > 0) ++with_rows;
      double size = 1;
      const double before = value(which, size);
      const VectorXd along = random_vector(t.random, 6 * links), kept = wrenches;
      wrenches += along;
      const double by_wrenches = value(which, size) - before;
      EXPECT_NEAR(g.wrenches.dot(along), by_wrenches, 1e-9 * size * n);
      wrenches = kept;
      const Vector3 pull = {0.5, 2, -1};
      w.set_gravity({down[0] + pull[0], down[1] + pull[1], down[2] + pull[2]});
      const double by_gravity = value(which, size) - before;
      EXPECT_NEAR(g.gravity.dot(Eigen::Vector3d::Map(pull.data())), by_gravity, 1e-9 * size * n);
      w.set_gravity(down);
    }
  }
  EXPECT_GE(with_rows, robots / 8);
}

TEST(Parameters, LogCholeskyIsAChartOfInertias) {
  Random random(7);
  using Complex = std::complex<double>;
  for (int trial = 0; trial < 200; ++trial) {
    const VectorXd theta = random_vector(random, 10, 1.5);
    Eigen::Matrix<double, 10, 10> J;
    Parameters pi, back;
    log_cholesky_inertia(theta.data(), pi.data());
    log_cholesky_jacobian(theta.data(), J.data());
    for (int k = 0; k < 10; ++k) {
      Complex at[10], out[10];
      for (int i = 0; i < 10; ++i) at[i] = Complex(theta[i], i == k ? 1e-30 : 0);
      log_cholesky_inertia(at, out);
      for (int i = 0; i < 10; ++i) EXPECT_NEAR(J(i, k), out[i].imag() / 1e-30, 1e-13 * largest(J));
    }
    // Sigma and h and m are U U^T of the paper.
    Eigen::Matrix4d U = Eigen::Matrix4d::Identity();
    for (int i = 0; i < 3; ++i) U(i, i) = std::exp(theta[1 + i]), U(i, 3) = theta[7 + i];
    U(0, 1) = theta[4], U(1, 2) = theta[5], U(0, 2) = theta[6];
    U *= std::exp(theta[0]);
    const Eigen::Matrix4d P = U * U.transpose();
    Eigen::Matrix3d I;
    I << pi[4], pi[5], pi[6], pi[5], pi[7], pi[8], pi[6], pi[8], pi[9];
    const Eigen::Matrix3d Sigma = 0.5 * I.trace() * Eigen::Matrix3d::Identity() - I;
    const double size = largest(P);
    EXPECT_LE(largest(Sigma - P.topLeftCorner<3, 3>()), 1e-13 * size);
    EXPECT_LE(largest(pi.segment<3>(1) - P.block<3, 1>(0, 3)), 1e-13 * size);
    EXPECT_NEAR(pi[0], P(3, 3), 1e-13 * size);
    ASSERT_TRUE(inertia_log_cholesky(pi.data(), back.data()));
    EXPECT_LE(largest(back - theta), 1e-9) << theta.transpose();
  }
  Parameters no;
  const Parameters rod = (Parameters() << 1, 0, 0, 0, 0, 0, 0, 1, 0, 1).finished(),
                   negative = (Parameters() << -1, 0, 0, 0, 1, 0, 0, 1, 0, 1).finished(),
                   triangle = (Parameters() << 1, 0, 0, 0, 1, 0, 0, 1, 0, 3).finished();
  for (const Parameters* x : {&rod, &negative, &triangle})
    EXPECT_FALSE(inertia_log_cholesky(x->data(), no.data()));
}

}  // namespace
}  // namespace tenon::testing
