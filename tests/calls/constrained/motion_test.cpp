// The motion of every joint, not of the rows alone: M qdd + c = tau + J^T lambda, measured in the terms of each joint's
// own equation. Light wrists and fingers held where their axes meet: the rows do not move these joints, so that no
// residual of a row shows what penalties cost them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/constrained_scene.hpp"
#include "support/largest.hpp"
#include "tenon/batch.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Numbers = std::vector<double>;

double varied(int k, int seed) {
  return std::sin(12.9898 * k + 78.233 * seed + 0.7);
}

// Arms on one base, each of three links of 3 kg and a wrist of three links of this mass and a radius of gyration of
// 3 mm, whose axes meet in the point that is held.
struct Scene {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> set;
  Numbers q, v, tau;
};
Scene light_wrists(double mass, int arms, int seed) {
  constexpr double gyration = 0.003, reach = 0.1;
  const auto text_of = [](const double* x) {
    char text[120];
    std::snprintf(text, sizeof text, "%.17g %.17g %.17g", x[0], x[1], x[2]);
    return std::string(text);
  };
  std::string text = "<robot name='arms'><link name='base'/>";
  std::vector<ConstraintSpec> specs;
  std::vector<std::array<double, 3>> last;
  for (int arm = 0; arm < arms; ++arm) {
    std::string parent = "base";
    double before[3] = {0, 0, 0};
    for (int i = 0; i < 6; ++i) {
      const bool wrist = i >= 3;
      double axis[3], origin[3], center[3], length = 0;
      for (int k = 0; k < 3; ++k) axis[k] = varied(3 * i + k, seed), length += axis[k] * axis[k];
      for (double& x : axis) x /= std::sqrt(length);
      const double arm_origin[3] = {i > 0 ? 0.4 : 0, i > 0 ? 0.1 : arm, i > 0 ? 0.2 : 0},
                   elbow[3] = {0.4, 0.1, 0.2};
      for (int k = 0; k < 3; ++k) {
        const double meeting = i == 3 ? elbow[k] : -reach * before[k];
        origin[k] = wrist ? meeting + reach * axis[k] : arm_origin[k];
        center[k] = wrist ? -reach * axis[k] : 0.2 + 0.1 * varied(50 + 3 * i + k, seed);
      }
      const double m = wrist ? mass : 3, g = wrist ? gyration : 0.1;
      const std::string name = std::to_string(arm) + "_" + std::to_string(i);
      char inertial[300];
      std::snprintf(
          inertial, sizeof inertial,
          "<mass value='%.17g'/><inertia ixx='%.17g' ixy='0' ixz='0' iyy='%.17g' iyz='0' izz='%.17g'/>", m,
          m * g * g, 1.1 * m * g * g, 1.2 * m * g * g);
      text += "<link name='l" + name + "'><inertial><origin xyz='" + text_of(center) + "'/>" + inertial +
              "</inertial></link><joint name='j" + name + "' type='continuous'><parent link='" + parent +
              "'/><child link='l" + name + "'/><origin xyz='" + text_of(origin) + "'/><axis xyz='" +
              text_of(axis) + "'/></joint>";
      parent = "l" + name;
      std::copy_n(axis, 3, before);
    }
    last.push_back({-reach * before[0], -reach * before[1], -reach * before[2]});
  }
  Scene s;
  s.model = Model::compile(parse_urdf(text + "</robot>"));
  for (std::size_t i = 0; i < s.model->links.size(); ++i)
    for (int arm = 0; arm < arms; ++arm)
      if (s.model->links[i].name == "l" + std::to_string(arm) + "_5")
        specs.push_back(point_constraint(static_cast<int>(i), last[static_cast<std::size_t>(arm)]));
  s.set = ConstraintSet::bind(s.model, specs);
  for (int k = 0; k < s.model->nv; ++k) {
    s.q.push_back(3 * varied(k, seed + 100)), s.v.push_back(varied(k, seed + 200));
    const bool wrist = k % 6 >= 3;
    s.tau.push_back((wrist ? 10 * mass * gyration * gyration : 1) * varied(k, seed + 300));
  }
  return s;
}

// Of an answer: the largest error of a joint's equation of motion over the sum of its terms, and the largest of what
// is left of a row, over the largest right-hand side.
struct Errors {
  double motion, rows;
};
Errors errors_of(const Scene& s, const Numbers& qdd, const Numbers& lambda) {
  Workspace w(s.model, s.set);
  const std::size_t n = s.v.size(), rows = lambda.size();
  Numbers M(n * n), c(n), J(rows * n), rhs(rows);
  EXPECT_EQ(mass_matrix(w, s.q.data(), M.data(), static_cast<int>(n)), Status::ok);
  EXPECT_EQ(bias_force(w, s.q.data(), s.v.data(), nullptr, c.data()), Status::ok);
  EXPECT_EQ(constraint_rows(w, s.q.data(), s.v.data(), nullptr, J.data(), static_cast<int>(rows), rhs.data(),
                            nullptr, nullptr),
            Status::ok);
  Numbers joints, left_of_rows;
  for (std::size_t k = 0; k < n; ++k) {
    double left = c[k] - s.tau[k], size = std::abs(c[k]) + std::abs(s.tau[k]);
    for (std::size_t i = 0; i < n; ++i)
      left += M[i * n + k] * qdd[i], size += std::abs(M[i * n + k] * qdd[i]);
    for (std::size_t r = 0; r < rows; ++r)
      left -= J[k * rows + r] * lambda[r], size += std::abs(J[k * rows + r] * lambda[r]);
    joints.push_back(left / size);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    double left = rhs[r];
    for (std::size_t k = 0; k < n; ++k) left -= J[k * rows + r] * qdd[k];
    left_of_rows.push_back(left);
  }
  return {largest(joints), largest(left_of_rows) / largest(rhs)};
}

// Solves arms with wrists of this mass by these methods, and expects this accuracy.
void expect_motion(double mass, int arms, double accuracy, const std::vector<Method>& methods,
                   const WorkspaceOptions& made = {}) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Scene s = light_wrists(mass, arms, seed);
    Workspace w(s.model, s.set, made);
    for (const Method method : methods) {
      Numbers qdd(s.v.size()), lambda(static_cast<std::size_t>(3 * arms));
      SolveOptions options;
      options.method = method;
      ASSERT_EQ(
          constrained_dynamics(w, options, {s.q.data(), s.v.data(), s.tau.data()}, qdd.data(), lambda.data()),
          Status::ok)
          << w.message();
      const Errors errors = errors_of(s, qdd, lambda);
      SCOPED_TRACE("seed " + std::to_string(seed) + " method " + std::to_string(static_cast<int>(method)) +
                   " by " + std::to_string(static_cast<int>(w.report().method)));
      EXPECT_LE(errors.motion, accuracy);
      EXPECT_LE(errors.rows, 1e-9);
    }
  }
}

// What the condition of the mass matrix leaves of sixteen digits.
double well_known(double mass) {
  return 3e-9 / mass;
}

class LightWrists : public ::testing::TestWithParam<double> {};

TEST_P(LightWrists, OneArmByEveryMethod) {
  expect_motion(GetParam(), 1, well_known(GetParam()), available_methods());
}

TEST_P(LightWrists, FourEqualArmsInLanes) {
  WorkspaceOptions limbs;
  limbs.branch_lanes = BranchLanesUse::always;
  expect_motion(GetParam(), 4, well_known(GetParam()), {Method::automatic, Method::constrained_aba}, limbs);
}

// Links of a microgram move the rows by rounding alone, divided by an inertia of 1e-14 kg m^2: rows that the arm
// moves are no less moved for that. The wrist's own joints are known to few digits.
TEST(Motion, LinksOfDustHideNoRow) {
  for (const double mass : {1e-6, 1e-9}) expect_motion(mass, 1, 1, available_methods());
}

INSTANTIATE_TEST_SUITE_P(Masses, LightWrists, ::testing::Values(1, 0.1, 0.01, 0.001), [](const auto& test) {
  return "grams_" + std::to_string(std::lround(1000 * test.param));
});

std::shared_ptr<const Model> go1() {
  CompileOptions options;
  options.floating_base = true;
  return Model::compile(load_urdf(TENON_MODELS_DIR "/go1.urdf"), options);
}
std::vector<ConstraintSpec> feet(const Model& model) {
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    for (const char* name : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"})
      if (model.links[i].name == name) specs.push_back(point_constraint(static_cast<int>(i), {0, 0, 0}));
  return specs;
}

TEST(Motion, ATighterToleranceAndALimitAreNoWorse) {
  const auto model = go1();
  const auto set = ConstraintSet::bind(model, feet(*model));
  Workspace w(model, set);
  for (int seed = 1; seed <= 30; ++seed) {
    Scene s{model, set, Numbers(static_cast<std::size_t>(model->nq)), {}, {}};
    random_configuration(*model, static_cast<std::uint64_t>(seed), s.q.data());
    for (int k = 0; k < model->nv; ++k) s.v.push_back(varied(k, seed)), s.tau.push_back(varied(k, seed + 1));
    for (const double tolerance : {1e-11, 1e-13, 1e-14}) {
      Numbers qdd(s.v.size()), lambda(12);
      SolveOptions options;
      options.method = Method::constrained_aba;
      options.relative_tolerance = tolerance, options.absolute_tolerance = 0, options.max_iterations = 2;
      const Status status =
          constrained_dynamics(w, options, {s.q.data(), s.v.data(), s.tau.data()}, qdd.data(), lambda.data());
      ASSERT_GE(static_cast<int>(status), 0) << w.message();
      EXPECT_LE(errors_of(s, qdd, lambda).motion, 1e-10) << "seed " << seed << " tolerance " << tolerance;
    }
  }
}

// Springs are springs, however little the rows move the robot: by elimination, R = 1 / mu.
TEST(Motion, SoftRowsNearTheirHingeStaySoft) {
  const auto model = Model::compile(
      parse_urdf("<robot name='rod'><link name='base'/><link name='rod'><inertial><origin xyz='.5 0 "
                 "0'/><mass value='1'/>"
                 "<inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial></link>"
                 "<joint name='hinge' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 "
                 "1 0'/></joint>"
                 "</robot>"));
  const Numbers q = {0.2}, v = {0.1}, tau = {0.3};
  for (const double mu : {1e-3, 1.0, 1e3}) {
    ConstraintSpec spec = point_constraint(1, {1e-3, 0, 0});
    Workspace soft(model, ConstraintSet::bind(model, {spec}));
    spec.compliance.assign(3, 1 / mu);
    Workspace compliant(model, ConstraintSet::bind(model, {spec}));
    Numbers x(1), expected(1), lambda(3), force(3);
    SolveOptions options;
    options.method = Method::pv_soft, options.mu = mu;
    ASSERT_EQ(constrained_dynamics(soft, options, {q.data(), v.data(), tau.data()}, x.data(), lambda.data()),
              Status::ok);
    EXPECT_EQ(soft.report().method, Method::pv_soft);
    options = {};
    options.method = Method::dense;
    ASSERT_EQ(constrained_dynamics(compliant, options, {q.data(), v.data(), tau.data()}, expected.data(),
                                   force.data()),
              Status::ok);
    EXPECT_NEAR(x[0], expected[0], 1e-9 * std::abs(expected[0])) << "mu " << mu;
  }
}

// A row that is switched off takes no method from the others.
TEST(Motion, SwitchedOffRowsLeaveDirectMethodsDirect) {
  const auto model = go1();
  auto specs = feet(*model);
  specs[3].compliance.assign(3, 1e-3);
  Workspace w(model, ConstraintSet::bind(model, specs));
  ASSERT_EQ(set_constraint_active(w, 3, false), Status::ok);
  Numbers q(static_cast<std::size_t>(model->nq)), v(static_cast<std::size_t>(model->nv)), tau(v), x(v),
      lambda(12);
  random_configuration(*model, 3, q.data());
  SolveOptions options;
  for (const Method method : {Method::pv, Method::ltl}) {
    options.method = method;
    ASSERT_EQ(constrained_dynamics(w, options, {q.data(), v.data(), tau.data()}, x.data(), lambda.data()),
              Status::ok);
    EXPECT_EQ(w.report().method, method);
    EXPECT_EQ(w.report().rank, 9);
  }
  EXPECT_EQ(underactuated_inverse_dynamics(w, nullptr, q.data(), v.data(), x.data(), nullptr, lambda.data(),
                                           tau.data()),
            Status::ok)
      << w.message();
}

TEST(Motion, DirectMethodsHandDependentRowsToTheirProximalMethod) {
  const auto model = go1();
  const auto once = feet(*model);
  auto twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  Workspace independent(model, ConstraintSet::bind(model, once)),
      dependent(model, ConstraintSet::bind(model, twice));
  const std::size_t nv = static_cast<std::size_t>(model->nv);
  Numbers q(static_cast<std::size_t>(model->nq)), v(nv, 0.3), tau(nv, 1), x(nv), y(nv);
  random_configuration(*model, 5, q.data());
  const auto solve = [&](Workspace& w, Method method, Numbers& qdd) {
    SolveOptions options;
    options.method = method;
    EXPECT_EQ(constrained_dynamics(w, options, {q.data(), v.data(), tau.data()}, qdd.data(), nullptr),
              Status::ok);
    return w.report().method;
  };
  for (const auto& [direct, proximal] :
       {std::pair(Method::pv, Method::prox_pv), {Method::ltl, Method::prox_ltl}}) {
    EXPECT_EQ(solve(independent, direct, x), direct);
    EXPECT_EQ(solve(dependent, direct, y), proximal);
    for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(x[k], y[k], 1e-8 * (1 + std::abs(x[k])));
  }
}

}  // namespace
}  // namespace tenon::testing
