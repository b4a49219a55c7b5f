// Closures, rows between two links: what they measure, and every method that takes them against the reference
// on random robots with one to five random loops and contacts.
#include <gtest/gtest.h>

#include <string>

#include "support/closure_scene.hpp"
#include "support/methods/method_check.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = test_robots() / 4;

struct Rows {
  MatrixXd J;
  VectorXd rhs, error, velocity;
};

Rows rows_at(ConstrainedScene& s, const std::vector<double>& q, const std::vector<double>& v) {
  Rows x{MatrixXd(s.rows(), s.nv()), VectorXd(s.rows()), VectorXd(s.rows()), VectorXd(s.rows())};
  EXPECT_EQ(constraint_rows(s.workspace, q.data(), v.data(), nullptr, x.J.data(), s.rows(), x.rhs.data(),
                            x.error.data(), x.velocity.data()),
            Status::ok)
      << s.workspace.message();
  return x;
}

TEST(Closures, RowsMatchReference) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), SceneKind::independent);
    ConstrainedScene& s = *scene;
    s.solve_reference();
    const Rows x = rows_at(s, s.state.q, s.state.v);
    EXPECT_LE(relative_error(x.J, s.rows_oracle.J, 1), 1e-12);
    EXPECT_LE(relative_error(x.velocity, s.rows_oracle.velocity, 1), 1e-12);
    for (int i = 0; i < s.set->constraint_count(); ++i) {
      const ConstraintSpec& spec = s.set->specs()[static_cast<std::size_t>(i)];
      if (!spec.closure) continue;  // of others the reference finds errors only where they are stabilised
      const int first = s.set->first_row(i), count = row_count(spec);
      EXPECT_LE(relative_error(x.error.segment(first, count), s.rows_oracle.error.segment(first, count), 1),
                1e-12);
    }
    // With the stabilisation on, and desired accelerations.
    VectorXd rhs(s.rows());
    ASSERT_EQ(constraint_rows(s.workspace, s.state.q.data(), s.state.v.data(), s.desired.data(), nullptr, 0,
                              rhs.data(), nullptr, nullptr),
              Status::ok);
    EXPECT_LE(relative_error(rhs, s.rows_oracle.rhs, 1), 1e-11);
  }
}

// A loop pulls its links together and nothing else: the joints above both do not feel it, to the last bit.
TEST(Closures, ForcesAreInternal) {
  for (int seed = 0; seed < robots / 2; ++seed) {
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), SceneKind::independent);
    const ConstraintData& c = scene->set->data();
    const Rows x = rows_at(*scene, scene->state.q, scene->state.v);
    for (int index = 0; index < c.inter_body_count; ++index) {
      const ConstraintItem& item = c.items[c.inter_body[index]];
      for (int i = item.meet; i >= 0; i = scene->robot.model->nodes[static_cast<std::size_t>(i)].parent) {
        const Model::Joint& joint = scene->robot.model->joints[static_cast<std::size_t>(i)];
        const auto block = x.J.block(c.user_row[item.row_begin], joint.v_index, item.row_count, joint.nv);
        EXPECT_TRUE((block.array() == 0).all());
      }
    }
  }
}

// Central differences along q(t) with v(t) = v + a t: rates of error and velocity are the row's velocity and
// its acceleration J a - rhs. Angular errors of a closure have that rate where it is closed.
TEST(Closures, VelocityAndAccelerationAreDerivatives) {
  for (int seed = 0; seed < robots / 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    Robot robot = random_robot(static_cast<std::uint64_t>(seed), 20);
    State state = random_state(random, *robot.model);
    Oracle oracle(robot);
    oracle.set_state(state.q, state.v);
    ClosureOptions options;
    options.open = seed % 2;
    options.stabilisation = 0;
    std::vector<ConstraintSpec> specs = random_closures(random, *robot.model, oracle, options);
    if (robot.model->nv == 0) continue;
    ConstrainedScene s(std::move(robot), std::move(state), std::move(specs));
    const Rows here = rows_at(s, s.state.q, s.state.v);
    constexpr double h = 1e-5;
    const auto after = [&](double t) {
      const auto at = [&](double dt, std::vector<double>& q, std::vector<double>& v) {
        std::vector<double> mean = v;
        for (std::size_t k = 0; k < v.size(); ++k) {
          mean[k] = v[k] + 0.5 * dt * s.state.a[k];
          v[k] += dt * s.state.a[k];
        }
        EXPECT_EQ(integrate(s.workspace, q.data(), mean.data(), dt, q.data()), Status::ok);
      };
      std::vector<double> q = s.state.q, v = s.state.v;
      at(t, q, v);
      return rows_at(s, q, v);
    };
    const Rows before = after(-h), later = after(h);
    const VectorXd velocity = (later.error - before.error) / (2 * h);
    const VectorXd acceleration = (later.velocity - before.velocity) / (2 * h);
    EXPECT_LE(relative_error(acceleration, here.J * as_vector(s.state.a) - here.rhs, 10), 1e-6);
    for (int i = 0; i < s.set->constraint_count(); ++i) {
      const ConstraintSpec& spec = s.set->specs()[static_cast<std::size_t>(i)];
      int row = s.set->first_row(i);
      for (int bit = 0; bit < 6; ++bit) {
        if (!(spec.rows >> bit & 1u)) continue;
        if (bit >= 3 || options.open == 0) {
          EXPECT_NEAR(velocity(row), here.velocity(row), 1e-5) << bit;
        }
        ++row;
      }
    }
  }
}

class ClosureMethods : public ::testing::TestWithParam<MethodAndKind> {};

TEST_P(ClosureMethods, MatchReference) {
  const auto [method, kind] = GetParam();
  MethodTally tally;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), kind);
    check_method(*scene, method, seed, false, tally);
  }
  EXPECT_LE(tally.ill_posed, robots / 20 + 1);
  if (HasFailure()) return;
  if (kind == SceneKind::redundant) {
    EXPECT_GE(tally.redundant, robots * 3 / 10);
  }
  if (kind == SceneKind::contradictory) {
    EXPECT_GE(tally.infeasible, robots / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ClosureMethods,
                         ::testing::Combine(::testing::ValuesIn(closure_methods()),
                                            ::testing::ValuesIn(scene_kinds)),
                         [](const auto& test) { return name_of(test); });

TEST(Closures, MethodsThatCannotTakeThemSaySo) {
  for (std::uint64_t seed = 0;; ++seed) {
    const auto scene = closure_scene(seed, SceneKind::independent);
    if (scene->set->data().inter_body_count == 0) continue;
    const auto expect_refusal = [&](const char* name, Status status, const char* others) {
      EXPECT_EQ(status, Status::unsupported) << name;
      EXPECT_EQ(scene->workspace.message(),
                std::string(name) + " cannot take rows between two moving links; use one of " + others);
    };
    for (const Method method : {Method::constrained_aba, Method::pv_soft, Method::pv_early}) {
      VectorXd qdd, lambda;
      expect_refusal(name_of(method), scene->solve(method, qdd, lambda),
                     "dense, prox_ltl, prox_ltls, pv, prox_pv, ltl");
      EXPECT_TRUE((qdd.array() == 1e99).all()) << "wrote its output";
    }
    const double* q = scene->state.q.data();
    const int rows = scene->rows();
    MatrixXd A = MatrixXd::Constant(rows, rows, 1e99);
    for (const DelassusMethod method :
         {DelassusMethod::kjr, DelassusMethod::efpa, DelassusMethod::pv_osim, DelassusMethod::pv_osimr})
      expect_refusal(name_of(method), delassus_matrix(scene->workspace, method, q, A.data(), rows),
                     "dense, ltl_osim");
    for (const DampedInverseMethod method : {DampedInverseMethod::pv_osimr, DampedInverseMethod::pv_osimf,
                                             DampedInverseMethod::caba_osim, DampedInverseMethod::caba_osimf})
      expect_refusal(name_of(method),
                     damped_delassus_inverse(scene->workspace, method, q, {}, A.data(), rows),
                     "dense, ltl_inverse, ltl_cholesky");
    EXPECT_TRUE((A.array() == 1e99).all()) << "wrote its output";
    return;
  }
}

}  // namespace
}  // namespace tenon::testing
