// Motors and constraint forces for a wanted motion: the equation of motion with the dense reference's M, c
// and J, the laws that make lambda the least one, and closed forms.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "support/closure_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(60, test_robots() / 6);

struct Answer {
  Status status;
  VectorXd lambda, tau;
};
Answer ask(Workspace& w, const std::vector<std::int32_t>& actuated, const double* q, const double* v,
           const double* a, const double* wrenches) {
  const int rows = w.constraints() ? w.constraints()->row_count() : 0;
  Answer x{Status::ok, VectorXd::Constant(rows, 77), VectorXd::Constant(velocity_count(w), 77)};
  x.status = underactuated_inverse_dynamics(w, actuated.empty() ? nullptr : actuated.data(), q, v, a,
                                            wrenches, x.lambda.data(), x.tau.data());
  return x;
}

std::vector<int> without_motor(const std::vector<std::int32_t>& actuated) {
  std::vector<int> free;
  for (std::size_t k = 0; k < actuated.size(); ++k)
    if (actuated[k] == 0) free.push_back(static_cast<int>(k));
  return free;
}

MatrixXd rows_of(const MatrixXd& x, const std::vector<int>& chosen) {
  MatrixXd out(static_cast<Eigen::Index>(chosen.size()), x.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = x.row(chosen[i]);
  return out;
}

// Any motion, any motors: what is left is least, lambda is the least that leaves it.
TEST(Underactuated, IsTheLeastOfTheNearest) {
  int feasible = 0, infeasible = 0, spare = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed),
                                     seed % 2 ? SceneKind::redundant : SceneKind::independent, 25);
    ConstrainedScene& s = *scene;
    if (s.nv() == 0 || s.rows() == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<std::int32_t> actuated(static_cast<std::size_t>(s.nv()), 1);
    const int count = random.integer(0, std::min(s.nv(), 6));
    for (int i = 0; i < count; ++i) actuated[static_cast<std::size_t>(random.integer(0, s.nv() - 1))] = 0;
    s.solve_reference();
    const MatrixXd M = s.oracle.mass_matrix().cast<double>(), J = s.rows_oracle.J.cast<double>();
    const VectorXd b = s.oracle.inverse_dynamics(s.state.a, s.state.wrenches.data()).cast<double>();
    const Answer x = ask(s.workspace, actuated, s.state.q.data(), s.state.v.data(), s.state.a.data(),
                         s.state.wrenches.data());
    ASSERT_GE(static_cast<int>(x.status), 0) << s.workspace.message();
    const std::vector<int> free = without_motor(actuated);
    const VectorXd left = b - J.transpose() * x.lambda - x.tau;
    const double size = 1 + b.norm() + J.norm() * x.lambda.norm();
    for (std::size_t k = 0; k < actuated.size(); ++k) {
      if (actuated[k] == 1) {
        EXPECT_LE(std::abs(left(static_cast<Eigen::Index>(k))), 1e-11 * size);
      } else {
        EXPECT_EQ(x.tau(static_cast<Eigen::Index>(k)), 0);
      }
    }
    if (free.empty()) {
      EXPECT_EQ(x.lambda, VectorXd::Zero(s.rows()));
      continue;
    }
    MatrixXd M_uu(free.size(), free.size());
    for (std::size_t i = 0; i < free.size(); ++i)
      for (std::size_t j = 0; j < free.size(); ++j)
        M_uu(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = M(free[i], free[j]);
    const MatrixXd L = M_uu.llt().matrixL();
    const MatrixXd H = L.triangularView<Eigen::Lower>().solve(rows_of(J.transpose(), free));
    const VectorXd rest = L.triangularView<Eigen::Lower>().solve(rows_of(left, free));
    const Eigen::JacobiSVD<MatrixXd> svd(H, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const VectorXd& sigma = svd.singularValues();
    int rank = 0;
    while (rank < sigma.size() && sigma(rank) > 1e-7 * sigma(0)) ++rank;
    // Near the border of rank, which is drawn in the rows' own units.
    if (rank == 0 || sigma(rank - 1) < 1e-4 * sigma(0) || sigma(0) < 1e-4) continue;
    const double missing = 1e-9 * (1 + L.triangularView<Eigen::Lower>().solve(rows_of(b, free)).norm());
    EXPECT_LE((svd.matrixU().leftCols(rank).transpose() * rest).norm(), missing / sigma(rank - 1) * sigma(0));
    if (x.status == Status::ok) {
      EXPECT_LE(rest.norm(), 100 * missing);
    }
    infeasible += x.status == Status::infeasible, feasible += x.status == Status::ok;
    // lambda / weight has no part that does not act.
    VectorXd by_weight = x.lambda;
    for (int r = 0; r < s.rows(); ++r) by_weight(s.set->data().user_row[r]) /= s.set->data().weight[r];
    EXPECT_LE((svd.matrixV().rightCols(s.rows() - rank).transpose() * by_weight).norm(),
              1e-7 * (1 + by_weight.norm()));
    spare += rank < s.rows();
  }
  EXPECT_GE(feasible, robots / 8);
  EXPECT_GE(infeasible, robots / 8);
  EXPECT_GE(spare, robots / 4);
}

// Of motions that motors and constraints have made, both are found again as far as they are one.
TEST(Underactuated, UndoesConstrainedDynamics) {
  int compared = 0, unique = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot =
        random_robot(static_cast<std::uint64_t>(seed), {Shape::random, 3 + seed % 20, false}, true);
    const int nv = robot.model->nv;
    Random random(static_cast<std::uint64_t>(seed));
    State state = random_state(random, *robot.model);
    std::fill_n(state.tau.begin(), 6, 0.0);
    std::vector<ConstraintSpec> specs;
    const int last = static_cast<int>(robot.model->links.size()) - 1;
    for (int i = 0; i <= seed % 3; ++i) {
      const int link = random.integer(0, last);
      specs.push_back(i == 0 ? weld_constraint(link, random.pose(0.3))
                             : point_constraint(link, random.vector(0.3)));
    }
    ConstrainedScene s(robot, state, specs);
    s.solve_reference();
    if (s.expected_status != Status::ok || s.kkt.min_kept_over_max() < 1e-4) continue;
    const Answer x =
        ask(s.workspace, {}, s.state.q.data(), s.state.v.data(), s.qdd.data(), s.state.wrenches.data());
    ASSERT_EQ(x.status, Status::ok) << s.workspace.message();
    EXPECT_EQ(x.tau.head(6), VectorXd::Zero(6));
    const VectorXd qdd_again = [&] {
      VectorXd qdd(nv);
      EXPECT_GE(static_cast<int>(constrained_dynamics(s.workspace, {},
                                                      {s.state.q.data(), s.state.v.data(), x.tau.data(),
                                                       s.state.wrenches.data(), s.desired.data()},
                                                      qdd.data(), nullptr)),
                0);
      return qdd;
    }();
    EXPECT_LE(relative_error(qdd_again, s.qdd, largest(s.a_free)), 1e-6);
    EXPECT_LE(x.lambda.norm(), s.lambda.norm() * (1 + 1e-7));
    if (s.rows() == 6) {
      EXPECT_LE(relative_error(x.lambda, s.lambda, 1), 1e-6);
      EXPECT_LE(relative_error(x.tau, as_vector(s.state.tau), 1 + largest(s.JT_lambda)), 1e-6);
      ++unique;
    }
    ++compared;
  }
  EXPECT_GE(compared, robots / 3);
  EXPECT_GE(unique, robots / 10);
}

// A body of 3 kg that floats: on two points of a beam it rests by halves, on one beside its centre not at
// all.
TEST(Underactuated, ClosedForms) {
  Mechanism m;
  m.links.push_back({"body", 3, {0, 0, 0}, {0.5, 0, 0, 0.5, 0, 0.5}});
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(m, options);
  const double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {}, a[6] = {};
  std::vector<ConstraintSpec> points;
  for (const double x : {-0.4, 0.4}) {
    points.push_back(point_constraint(0, {x, 0, 0}));
    points.back().rows = 0x20;  // z
  }
  Workspace two(model, ConstraintSet::bind(model, points)),
      one(model, ConstraintSet::bind(model, {points[0]})), none(model);
  const Answer x = ask(two, {}, q, v, a, nullptr);
  EXPECT_EQ(x.status, Status::ok);
  EXPECT_NEAR(x.lambda(0), 3 * 9.81 / 2, 1e-10);
  EXPECT_NEAR(x.lambda(1), 3 * 9.81 / 2, 1e-10);
  EXPECT_EQ(x.tau, VectorXd::Zero(6));
  // Nearest in the metric of the inertia: the force that makes the point fall no more, as if it were held.
  const Answer y = ask(one, {}, q, v, a, nullptr);
  EXPECT_EQ(y.status, Status::infeasible);
  EXPECT_NEAR(y.lambda(0), 9.81 / (1 / 3.0 + 0.16 / 0.5), 1e-10);
  EXPECT_EQ(ask(none, {}, q, v, a, nullptr).status, Status::infeasible);
  const double falling[6] = {0, 0, 0, 0, 0, -9.81};
  EXPECT_EQ(ask(none, {}, q, v, falling, nullptr).status, Status::ok);
  const Answer all = ask(one, {1, 1, 1, 1, 1, 1}, q, v, a, nullptr);
  EXPECT_EQ(all.status, Status::ok);
  EXPECT_EQ(all.lambda(0), 0);
  EXPECT_NEAR(all.tau(5), 3 * 9.81, 1e-12);
}

// A walking machine with loops, in independent coordinates; in spanning ones it is refused.
TEST(Underactuated, WithEmbeddedLoops) {
  int compared = 0;
  for (int seed = 0; seed < robots / 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 6);
    const int ny = scene.model->ny;
    if (ny < 4 || scene.model->data().cluster_count == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random, random_point(random, scene.model));
    Workspace& w = t.independent;
    VectorXd b(ny);
    std::vector<std::int32_t> actuated(static_cast<std::size_t>(ny), 1);
    actuated[static_cast<std::size_t>(random.integer(0, ny - 1))] = 0;
    const VectorXd still = VectorXd::Zero(scene.model->nv);
    const Answer refused = ask(t.w, {}, scene.q.data(), still.data(), still.data(), nullptr);
    EXPECT_EQ(refused.status, Status::unsupported);
    EXPECT_TRUE((refused.tau.array() == 77).all());
    MatrixXd J(3, ny);
    if (inverse_dynamics(w, {scene.q.data(), t.ydot.data(), nullptr, nullptr, nullptr, t.yddot.data()},
                         b.data()) != Status::ok)
      continue;
    ASSERT_EQ(
        constraint_rows(w, scene.q.data(), t.ydot.data(), nullptr, J.data(), 3, nullptr, nullptr, nullptr),
        Status::ok);
    const Answer x = ask(w, actuated, scene.q.data(), t.ydot.data(), t.yddot.data(), nullptr);
    ASSERT_GE(static_cast<int>(x.status), 0) << w.message();
    const VectorXd left = b - J.transpose() * x.lambda - x.tau;
    const int free = without_motor(actuated)[0];
    const double size = 1 + b.norm() + J.norm() * x.lambda.norm();
    for (int k = 0; k < ny; ++k) {
      if (k != free || x.status == Status::ok) {
        EXPECT_LE(std::abs(left(k)), 1e-8 * size) << k;
      }
    }
    EXPECT_EQ(x.tau(free), 0);
    if (x.status == Status::infeasible) {
      EXPECT_LE(J.col(free).norm(), 1e-5 * (1 + J.norm()));
    }
    ++compared;
  }
  EXPECT_GE(compared, robots / 8);
}

TEST(Underactuated, RefusesWhatItCannotDo) {
  ConstrainedScene s(11, SceneKind::contradictory);
  ASSERT_GT(s.nv(), 1);
  std::vector<std::int32_t> actuated(static_cast<std::size_t>(s.nv()), 1);
  actuated[1] = 2;
  const Answer x = ask(s.workspace, actuated, s.state.q.data(), s.state.v.data(), s.state.a.data(), nullptr);
  EXPECT_EQ(x.status, Status::invalid_argument);
  EXPECT_NE(std::string(s.workspace.message()).find("actuated[1]"), std::string::npos);
  EXPECT_TRUE((x.tau.array() == 77).all());
  EXPECT_TRUE((x.lambda.array() == 77).all());
  std::vector<ConstraintSpec> soft = {point_constraint(0, {0, 0, 0})};
  soft[0].compliance = {1e-3, 0, 0};
  Workspace w(s.robot.model, ConstraintSet::bind(s.robot.model, soft));
  EXPECT_EQ(ask(w, {}, s.state.q.data(), s.state.v.data(), s.state.a.data(), nullptr).status,
            Status::unsupported);
  EXPECT_NE(std::string(w.message()).find("row 0 has compliance"), std::string::npos) << w.message();
}

}  // namespace
}  // namespace tenon::testing
