// Projection of states onto the constraint rows: positions by Newton's method, velocities by one step. Both
// move the robot as little as possible in the metric of its mass matrix,
//
//   dq = - M^-1 J^T (J M^-1 J^T)^+ e,     v := v - M^-1 J^T (J M^-1 J^T)^+ J v,
//
// which is constrained dynamics of the robot at rest without gravity with e or J v as desired accelerations.
// Redundant and contradictory rows are therefore treated as in dynamics.
#include "calls/row_projection.hpp"

#include <algorithm>
#include <cmath>

#include "model/joint_motion.hpp"
#include "solve/methods.hpp"
#include "solve/prox_ltl.hpp"
#include "solve/prox_pv.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {
Status least_motion(WorkspaceImpl& w, const double* q, const double* wanted) {
  const Weightless weightless(w);
  const ConstraintData& c = *w.cd();
  // Stabilised rows add their position error to the desired acceleration; that is removed here.
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    const double pull = item.frequency * item.frequency;
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r)
      w.w().desired[r] = wanted[r] + pull * w.w().row_error[r];
  }
  SolveOptions options;
  options.absolute_tolerance = 0;
  std::fill_n(w.lambda.data(), w.rows(), 0.0);
  const ConstrainedProblem problem = {w,       options,        q, w.zeros.data(), w.zeros.data(), nullptr,
                                      nullptr, w.lambda.data()};
  // With embedded loops the motion must keep them closed: prox_pv finds no other motions.
  if (w.md().cluster_count > 0) TENON_CHECK(update_loops(w, q, w.zeros.data(), SplitFor::any));
  const Status status = w.md().cluster_count > 0 ? solve_prox_pv(problem) : solve_prox_ltl(problem);
  return status == stalled ? solve_dense(problem) : status;
}

Status evaluate_rows(WorkspaceImpl& w, const double* q, const double* v) {
  std::fill_n(w.w().desired, w.rows(), 0.0);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;
  w.kernels->constraint_state(w.md(), posed, q, v, false, w.w());
  TENON_CHECK(check_result(w, w.w().row_error, w.rows()));
  return check_result(w, w.w().row_velocity, w.rows());
}

Status change_velocities(WorkspaceImpl& w, const double* q, const double* v, const double* wanted) {
  const Status status = least_motion(w, q, wanted);
  if (status == Status::not_positive_definite) return fail_mass_matrix(w, q);
  if (static_cast<std::int32_t>(status) < 0) return status;
  for (int k = 0; k < w.model->nv; ++k) w.w().qdd[k] += v[k];
  return status;
}

namespace {

// Negative position errors of the rows that hold a position, zero for the others. Returns the largest error
// of a rigid row.
double errors_to_remove(const WorkspaceImpl& w, double* wanted) {
  const ConstraintData& c = *w.cd();
  double largest = 0;
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    const bool holds = item.closure || (item.custom < 0 && item.frequency > 0);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      wanted[r] = holds ? -w.arena.data.row_error[r] : 0;
      if (c.compliance[r] == 0) largest = std::max(largest, std::abs(wanted[r]));
    }
  }
  return largest;
}

// next := from + step * move with the model's loops closed; false where they cannot be.
bool move_along(WorkspaceImpl& w, const double* from, const double* move, double step, double* next) {
  std::copy_n(from, w.model->nq, next);
  integrate_joints(w.md(), move, step, next);
  return w.md().cluster_count == 0 || close_dependent(w, next) == Status::ok;
}

}  // namespace

Status project_positions(Workspace& workspace, double tolerance, int max_iterations, double* user_q) {
  // Newton's step reduces the error if it is short enough: where thirteen halvings do not help, no motion
  // reduces the error of the rows.
  constexpr double shortest_step = 1e-4;
  WorkspaceImpl& w = begin(workspace);
  const double* q = user_q;
  TENON_CHECK(take_positions(w, q));
  if (!std::isfinite(tolerance))
    return w.fail(Status::not_finite, "tolerance is %g; give a finite number of 0 or more", tolerance);
  if (!(tolerance >= 0 && tolerance <= 1e300))
    return w.fail(Status::invalid_argument, "tolerance is %g; give a finite number of 0 or more", tolerance);
  if (max_iterations < 1)
    return w.fail(Status::invalid_argument, "max_iterations is %d; give at least 1", max_iterations);
  w.report = SolveReport{};
  if (w.rows() == 0) return Status::ok;
  const int nq = w.model->nq, nv = w.model->nv;
  double* wanted = w.user_rows.data();
  double* here = w.step.data();  // the best configuration so far
  double* move = here + nq;
  double* next = move + nv;
  std::copy(q, q + nq, here);
  TENON_CHECK(evaluate_rows(w, here, w.zeros.data()));
  double error = errors_to_remove(w, wanted), step = 1;
  int iterations = 0;
  for (; error > tolerance && iterations < max_iterations && step >= shortest_step; ++iterations) {
    const Status status = least_motion(w, here, wanted);
    if (status == Status::not_positive_definite) return fail_mass_matrix(w, here);
    if (static_cast<std::int32_t>(status) < 0) return status;
    if (!all_finite(w.w().qdd, nv)) break;
    std::copy_n(w.w().qdd, nv, move);
    // Halve the step while the error does not shrink.
    for (step = 1; step >= shortest_step; step /= 2) {
      if (!move_along(w, here, move, step, next)) continue;
      if (evaluate_rows(w, next, w.zeros.data()) != Status::ok) continue;
      const double left = errors_to_remove(w, wanted);
      if (left < error) {
        error = left;
        std::copy(next, next + nq, here);
        break;
      }
    }
  }
  w.report = SolveReport{};
  w.report.iterations = iterations;
  w.report.primal_residual = error;
  w.message[0] = '\0';
  TENON_CHECK(give_positions(w, here, user_q));
  if (error <= tolerance) return Status::ok;
  return iterations == max_iterations ? Status::max_iterations : Status::infeasible;
}

Status project_velocities(Workspace& workspace, const double* q, double* user_v) {
  WorkspaceImpl& w = begin(workspace);
  const double* v = user_v;
  TENON_CHECK(take_state(w, q, v));
  w.report = SolveReport{};
  if (w.rows() == 0) return Status::ok;
  TENON_CHECK(evaluate_rows(w, q, v));
  double* wanted = w.user_rows.data();
  for (int r = 0; r < w.rows(); ++r) wanted[r] = -w.w().row_velocity[r];
  const Status status = change_velocities(w, q, v, wanted);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(give_motion(w, w.w().qdd, user_v));
  return status;
}

}  // namespace tenon
