// A random robot with random constraints at a random state, and the reference's answer: what the tests of
// constrained dynamics share.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "reference/dense_rows.hpp"
#include "reference/kkt_solver.hpp"
#include "support/oracle.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {

// Eigenvalues of the row-scaled Delassus matrix: below this ratio the answer itself is uncertain, and what is
// asked of a method is loosened in proportion.
inline constexpr double well_posed = 1e-6;

enum class SceneKind {
  independent,    // fewer rows than coordinates; dependent ones only by chance
  redundant,      // some constraints twice with the same desired values
  contradictory,  // up to 30 rows whatever the robot, some constraints twice with different desired values
  compliant,      // up to 30 rows, many of them soft
};
inline constexpr SceneKind scene_kinds[] = {SceneKind::independent, SceneKind::redundant,
                                            SceneKind::contradictory, SceneKind::compliant};

struct ConstrainedScene {
  ConstrainedScene(Robot robot_, State state_, std::vector<ConstraintSpec> specs_);
  // Everything from the seed; desired accelerations and anchors close to where the frames are.
  ConstrainedScene(std::uint64_t seed, SceneKind kind, int most_links = 60);

  int nv() const { return robot.model->nv; }
  int rows() const { return set->row_count(); }
  void set_anchors(const std::vector<Pose>& poses);
  // Solves by the reference: expected_status, qdd, lambda, report, and JT_lambda = J^T lambda.
  void solve_reference();
  // J^T lambda with the reference's J.
  Eigen::VectorXd joint_force(const Eigen::VectorXd& multipliers) const;
  Status solve(Method method, Eigen::VectorXd& x, Eigen::VectorXd& multipliers, SolveOptions options = {});

  Robot robot;
  State state;
  std::shared_ptr<const ConstraintSet> set;
  std::vector<double> desired;
  std::vector<Pose> anchors;
  Workspace workspace;
  Oracle oracle;
  reference::DenseRows<Real> rows_oracle;
  reference::BasicKktSolver<Real> kkt;

  Status expected_status = Status::ok;
  SolveReport expected_report;
  Eigen::VectorXd qdd, lambda, JT_lambda, a_free;
};

// ConstraintData::scale in the user's order.
std::vector<double> scale_of_user_rows(const ConstraintSet& set);

// The methods that solve the whole problem: all but pv_soft.
const std::vector<Method>& available_methods();

}  // namespace tenon::testing
