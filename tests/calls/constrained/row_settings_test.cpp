// Constraints switched off, softened and tuned on a workspace, against workspaces whose sets hold only what is
// left, with those numbers from the start.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/constrained_scene.hpp"
#include "support/loop_scene.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A scene with some of its constraints off and the numbers of the others changed; and the same from the start.
struct Changed {
  Changed(const ConstrainedScene& s, std::uint64_t seed, bool soft) : random(seed) {
    for (std::size_t i = 0; i < s.set->specs().size(); ++i) {
      on.push_back(random.uniform(0, 1) < 0.6);
      ConstraintSpec spec = s.set->specs()[i];
      const int first = s.set->first_row(static_cast<int>(i));
      const int end = i + 1 < s.set->specs().size() ? s.set->first_row(static_cast<int>(i) + 1) : s.rows();
      spec.frequency = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(1, 20);
      spec.damping_ratio = random.uniform(0.5, 1.5);
      spec.weight.clear(), spec.compliance.clear();
      for (int r = first; r < end; ++r) {
        spec.weight.push_back(random.uniform(0.5, 2));
        const double typical = s.set->data().scale[place_of(s, r)];
        spec.compliance.push_back(
            soft && random.uniform(0, 1) < 0.5 ? typical * std::pow(10, random.uniform(-4, 0)) : 0);
        if (on.back()) rows.push_back(r);
      }
      specs.push_back(spec);
      if (on.back()) left.push_back(spec), anchors.push_back(s.anchors[i]);
    }
  }
  static int place_of(const ConstrainedScene& s, int user_row) {
    const std::int32_t* user = s.set->data().user_row;
    return static_cast<int>(std::find(user, user + s.rows(), user_row) - user);
  }
  void apply(Workspace& w) const {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const int c = static_cast<int>(i);
      EXPECT_EQ(set_constraint_active(w, c, on[i]), Status::ok);
      EXPECT_EQ(set_constraint_gains(w, c, specs[i].frequency, specs[i].damping_ratio), Status::ok);
      EXPECT_EQ(set_constraint_weights(w, c, specs[i].weight.data()), Status::ok);
      EXPECT_EQ(set_constraint_compliance(w, c, specs[i].compliance.data()), Status::ok);
    }
  }
  std::vector<double> of_left(const std::vector<double>& all) const {
    std::vector<double> x;
    for (const int r : rows) x.push_back(all[static_cast<std::size_t>(r)]);
    return x;
  }

  Random random;
  std::vector<bool> on;
  std::vector<ConstraintSpec> specs, left;
  std::vector<Pose> anchors;
  std::vector<int> rows;  // of the user's, those that are left
};

class RowSettings : public ::testing::TestWithParam<SceneKind> {};

TEST_P(RowSettings, AreThoseOfASetMadeWithThem) {
  const bool soft = GetParam() == SceneKind::compliant;
  int compared = 0, with_rows = 0;
  for (int seed = 1; seed <= std::max(20, test_robots() / 10); ++seed) {
    SCOPED_TRACE(seed);
    ConstrainedScene s(static_cast<std::uint64_t>(seed), GetParam(), 20);
    const Changed changed(s, static_cast<std::uint64_t>(seed) + 1000, soft);
    if (changed.left.empty()) continue;
    Workspace expected(s.robot.model, ConstraintSet::bind(s.robot.model, changed.left));
    for (std::size_t i = 0; i < changed.anchors.size(); ++i)
      expected.set_anchor(static_cast<int>(i), changed.anchors[i]);
    // The memory of every method is there before the change, and follows it.
    VectorXd x(s.nv()), multipliers(s.rows());
    for (const Method method : available_methods()) s.solve(method, x, multipliers);
    changed.apply(s.workspace);
    const std::vector<double> desired = changed.of_left(s.desired);
    VectorXd qdd(s.nv()), lambda(static_cast<Eigen::Index>(changed.rows.size()));
    SolveOptions options;
    options.method = Method::dense;
    const Status status = constrained_dynamics(
        expected, options, {s.state.q.data(), s.state.v.data(), s.state.tau.data(), nullptr, desired.data()},
        qdd.data(), lambda.data());
    ASSERT_GE(static_cast<int>(status), 0) << expected.message();
    const bool unique = expected.report().rank == static_cast<int>(changed.rows.size());
    for (const Method method : available_methods()) {
      options.method = method;
      const Status found = constrained_dynamics(
          s.workspace, options,
          {s.state.q.data(), s.state.v.data(), s.state.tau.data(), nullptr, s.desired.data()}, x.data(),
          multipliers.data());
      if (found == Status::unsupported) continue;
      if (method == Method::pv_soft && !soft) continue;
      EXPECT_EQ(found, status) << name_of(method) << ": " << s.workspace.message();
      if (status != Status::ok) continue;
      EXPECT_LE(relative_error(x, qdd, 1), 1e-7) << name_of(method);
      ++compared;
      for (std::size_t i = 0, r = 0; r < static_cast<std::size_t>(s.rows()); ++r) {
        const double force = multipliers[static_cast<Eigen::Index>(r)];
        if (i < changed.rows.size() && changed.rows[i] == static_cast<int>(r)) {
          const double wanted = lambda[static_cast<Eigen::Index>(i++)];
          const double allowed = unique ? 1e-6 * (1 + lambda.norm()) : HUGE_VAL;
          EXPECT_NEAR(force, wanted, allowed) << name_of(method) << " " << r;
        } else {
          EXPECT_EQ(force, 0) << name_of(method) << " " << r;
        }
      }
    }
    // The Delassus matrix, J and what follows from them.
    if (s.set->data().inter_body_count > 0) continue;
    ++with_rows;
    const int m = s.rows(), n = static_cast<int>(changed.rows.size());
    MatrixXd all(m, m), part(n, n);
    ASSERT_EQ(delassus_matrix(expected, DelassusMethod::dense, s.state.q.data(), part.data(), n), Status::ok);
    for (const DelassusMethodFacts& facts : delassus_method_facts) {
      ASSERT_EQ(delassus_matrix(s.workspace, facts.method, s.state.q.data(), all.data(), m), Status::ok);
      MatrixXd wanted = MatrixXd::Zero(m, m);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          wanted(changed.rows[static_cast<std::size_t>(i)], changed.rows[static_cast<std::size_t>(j)]) =
              part(i, j);
      EXPECT_LE(relative_error(all, wanted, 1e-6), 1e-10) << facts.name;
    }
    // On again, as at first.
    for (std::size_t i = 0; i < changed.specs.size(); ++i) {
      const ConstraintSpec& was = s.set->specs()[i];
      const int c = static_cast<int>(i);
      ASSERT_EQ(set_constraint_active(s.workspace, c, true), Status::ok);
      ASSERT_EQ(set_constraint_gains(s.workspace, c, was.frequency, was.damping_ratio), Status::ok);
      ASSERT_EQ(set_constraint_weights(s.workspace, c, was.weight.empty() ? nullptr : was.weight.data()),
                Status::ok);
      ASSERT_EQ(
          set_constraint_compliance(s.workspace, c, was.compliance.empty() ? nullptr : was.compliance.data()),
          Status::ok);
    }
    ConstrainedScene fresh(static_cast<std::uint64_t>(seed), GetParam(), 20);
    for (const Method method : {Method::constrained_aba, Method::pv_early, Method::prox_ltl}) {
      VectorXd y(s.nv()), force(s.rows());
      const Status again = s.solve(method, x, multipliers), first = fresh.solve(method, y, force);
      EXPECT_EQ(again, first);
      EXPECT_EQ(x, y) << name_of(method) << ": not the same bits as before";
    }
  }
  EXPECT_GT(compared, 30);
  EXPECT_GT(with_rows, 5);
}

INSTANTIATE_TEST_SUITE_P(Scenes, RowSettings,
                         ::testing::Values(SceneKind::independent, SceneKind::redundant,
                                           SceneKind::compliant),
                         [](const auto& test) {
                           return std::string(test.param == SceneKind::independent ? "independent"
                                              : test.param == SceneKind::redundant ? "redundant"
                                                                                   : "compliant");
                         });

// A gait: the feet of a quadruped with folded rotors come and go.
TEST(SettingsOfRows, FeetOfARobotWithFoldedRotorsComeAndGo) {
  CompileOptions base;
  base.floating_base = true;
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/mini_cheetah.urdf"), base);
  ASSERT_TRUE(model->folding);
  std::vector<ConstraintSpec> feet;
  for (std::size_t l = 0; l < model->links.size(); ++l)
    if (model->links[l].name.find("knee_link") != std::string::npos && feet.size() < 4)
      feet.push_back(point_constraint(static_cast<int>(l), {0, 0, -0.2}));
  ASSERT_EQ(feet.size(), 4u);
  Workspace w(model, ConstraintSet::bind(model, feet));
  std::vector<double> q = model->loops.closed, v(static_cast<std::size_t>(model->nv)), tau(v.size(), 0.1);
  for (unsigned phase = 1; phase < 16; ++phase) {
    std::vector<ConstraintSpec> down;
    for (unsigned foot = 0; foot < 4; ++foot) {
      ASSERT_EQ(set_constraint_active(w, static_cast<int>(foot), (phase >> foot & 1u) != 0), Status::ok);
      if (phase >> foot & 1u) down.push_back(feet[foot]);
    }
    Workspace expected(model, ConstraintSet::bind(model, down));
    VectorXd x(model->nv), y(model->nv), force(12), lambda(12);
    ASSERT_EQ(constrained_dynamics(w, {}, {q.data(), v.data(), tau.data()}, x.data(), force.data()),
              Status::ok)
        << w.message();
    ASSERT_EQ(constrained_dynamics(expected, {}, {q.data(), v.data(), tau.data()}, y.data(), lambda.data()),
              Status::ok);
    EXPECT_LE(relative_error(x, y), 1e-9);
    for (int foot = 0, row = 0; foot < 4; ++foot)
      for (int e = 0; e < 3; ++e)
        EXPECT_NEAR(force[3 * foot + e], phase >> foot & 1u ? lambda[row++] : 0, 1e-7);
    int rank = -1;
    ASSERT_EQ(operational_space(w, q.data(), {}, &rank), Status::ok) << "rows that are off are not redundant";
    EXPECT_EQ(rank, static_cast<int>(3 * down.size()));
  }
}

TEST(SettingsOfRows, BadNumbersChangeNothing) {
  ConstrainedScene s(2, SceneKind::contradictory, 10);
  ASSERT_GT(s.rows(), 0);
  const auto says = [&](const char* text) {
    EXPECT_NE(std::string(s.workspace.message()).find(text), std::string::npos) << s.workspace.message();
  };
  EXPECT_EQ(set_constraint_active(s.workspace, 99, false), Status::out_of_range);
  says("99");
  EXPECT_EQ(set_constraint_gains(s.workspace, 0, -1, 1), Status::invalid_argument);
  says("frequency");
  std::vector<double> numbers(static_cast<std::size_t>(s.rows()), 0.0);
  EXPECT_EQ(set_constraint_weights(s.workspace, 0, numbers.data()), Status::invalid_argument);
  says("above zero");
  numbers[0] = -1;
  EXPECT_EQ(set_constraint_compliance(s.workspace, 0, numbers.data()), Status::invalid_argument);
  numbers[0] = NAN;
  EXPECT_EQ(set_constraint_compliance(s.workspace, 0, numbers.data()), Status::not_finite);
  ConstraintSettings now;
  ASSERT_EQ(constraint_settings(s.workspace, 0, now, nullptr, nullptr), Status::ok);
  EXPECT_TRUE(now.active);
  EXPECT_EQ(now.frequency, s.set->specs()[0].frequency);
}

}  // namespace
}  // namespace tenon::testing
