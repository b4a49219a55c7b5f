// Projection of states onto the constraint rows: positions by Newton's method, velocities by one step. Both
// move the robot as little as possible in the metric of its mass matrix,
//
//   dq = - M^-1 J^T (J M^-1 J^T)^+ e,     v := v - M^-1 J^T (J M^-1 J^T)^+ J v,
//
// which is constrained dynamics of the robot at rest without gravity with e or J v as desired accelerations.
// Redundant and contradictory rows are therefore treated as in dynamics.
//
// Steps are halved until they shorten the error. Next to a posture where J lacks rank, however, the way to a solution is
// a narrow bent valley of the error: good steps along it leave it sideways, and the error grows a hundredfold. Where only
// short steps shorten the error, they are judged by the natural level function (P. Deuflhard, Newton Methods for
// Nonlinear Problems, 2004, 3.1.4), the length of the motion that would remove the new error if rows were linear,
// |J(q)^+ e(q + step dq)|.
//
// On the way loops of the model may open: their gap is removed by the same motion, dq = G dy + g with K g = - gap. Closed
// at each step, loops next to a dead centre would allow short steps only.
//
// Where that finds no solution, steps with closed loops that shorten the error find the nearest there is.
#include "calls/row_projection.hpp"

#include <algorithm>
#include <cmath>

#include "calls/constrained.hpp"
#include "kernels/joint/integrate.hpp"
#include "model/row_order.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "solve/methods.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

// A motion that closes loops too. Methods of automatic cannot take gaps: they evaluate loops themselves, where they may be swept
// in other coordinates, and fold rotors, which follow joints at any gap.
static Status closing_motion(WorkspaceImpl& w, const SolveOptions& options, const Inputs<double>& in,
                             const double* gaps) {
  std::fill_n(w.lambda.data(), w.rows(), 0.0);
  const ConstrainedProblem problem = {w, options, in, w.lambda.data()};
  TENON_CHECK(update_loops(w, in.q, in.v, SplitFor::any));
  bias_by_gaps(w, gaps);
  Outcome outcome = function_of(closing_method)(problem);
  if (!outcome) outcome = solve_dense(problem);
  return outcome == Status::not_positive_definite ? fail_mass_matrix(w, in.q) : *outcome;
}

Status least_motion(WorkspaceImpl& w, const double* q, const double* wanted, double rounding,
                    const double* gaps) {
  const Weightless weightless(w);
  const Unstabilised unstabilised(w);
  std::copy_n(wanted, w.rows(), w.w().desired);
  SolveOptions options;
  options.absolute_tolerance = rounding;
  Inputs<double> in = w.at_rest(q);
  if (gaps) return closing_motion(w, options, in, gaps);
  rows_to_user(w.cd(), w.w().desired, w.step_lambda.data());
  in.desired = w.step_lambda.data();
  return motion_without_friction(w, options, in, nullptr);
}

Status evaluate_row_errors(WorkspaceImpl& w, const double* q) {
  std::fill_n(w.w().desired, w.rows(), 0.0);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;
  w.kernels->constraint_state(w.md(), posed, {q, w.zeros.data()}, w.w());
  return check_result(w, w.w().row_error, w.rows());
}

Status evaluate_row_velocities(WorkspaceImpl& w, const double* q, const double* v) {
  WorkspaceData<double>& d = w.w();
  std::fill_n(d.desired, w.rows(), 0.0);
  BranchLanes* const lanes = w.usable_branches();
  if (lanes && lanes->takes_rows() && w.md().cluster_count == 0) {
    lanes->row_sweeps(d).constraint_state(w.md(), *w.cd(), {q, v}, d);
    std::fill_n(d.row_velocity, w.rows(), 0.0);
    lanes->row_velocities(d.row_velocity);
  } else {
    w.kernels->constraint_state(w.md(), *w.cd(), {q, v}, d);
  }
  return check_result(w, d.row_velocity, w.rows());
}

Status change_velocities(WorkspaceImpl& w, const double* q, const double* v, const double* wanted) {
  const Status status = least_motion(w, q, wanted, rounding_of_row_velocities(w, q, v));
  if (static_cast<std::int32_t>(status) < 0) return status;
  for (int k = 0; k < w.model->nv; ++k) w.w().qdd[k] += v[k];
  return status;
}

namespace {

// The largest error of a rigid row; and the sum of weight x square, with those of loops that may be open. A short enough
// step of Newton's shrinks the sum, which does not depend on the axes of rows of one weight either.
struct Errors {
  double largest = 0, squares = 0;
};

// Negative position errors of the rows that hold a position, zero for the others.
Errors errors_to_remove(const WorkspaceImpl& w, double* wanted) {
  const ConstraintData& c = *w.cd();
  Errors out;
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    const bool holds = item.closure || (item.custom < 0 && c.gains[2 * i] > 0);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      wanted[r] = holds ? -w.arena.data.row_error[r] : 0;
      if (c.compliance[r] > 0) continue;
      out.largest = std::max(out.largest, std::abs(wanted[r]));
      out.squares += c.weight[r] * wanted[r] * wanted[r];
    }
  }
  return out;
}

// The search for a configuration on the rows.
class Approach {
 public:
  Approach(WorkspaceImpl& workspace, double largest_error, int most_iterations)
      : w(workspace), tolerance(largest_error), most(most_iterations) {
    double* room = w.step.data();
    for (double** x : {&here, &next, &best}) *x = room, room += nq;
    for (double** x : {&move, &force}) *x = room, room += nv;
  }

  Status from(const double* q);
  int iterations() const { return taken; }
  double error() const { return best_left.largest; }
  const double* found() const { return best; }

 private:
  Status search();
  Status measure(const double* q, Errors& out);
  Status step_from_here();
  bool try_step(double step, Errors& out);
  bool shorten_error(double least);
  bool shorten_way(double least);
  bool close_next();
  double length(const double* dq);
  double length_left();
  void keep_if_best(const double* q, const Errors& errors);

  WorkspaceImpl& w;
  const double tolerance;
  const int most;
  bool natural = true;                      // steps may be judged by the natural level
  bool open = w.md().varying_clusters > 0;  // loops of the model may open on the way
  const int nq = w.model->nq, nv = w.model->nv;
  double *here, *next, *best, *move, *force;
  double *wanted = w.row_scratch.data(), *gaps = w.loops.gaps.data();  // to be removed, of the last measure()
  Errors left, best_left;                                              // at `here`, at `best`
  double gap = 0;  // largest of an open loop, where measured last
  int taken = 0;
};

Status Approach::measure(const double* q, Errors& out) {
  TENON_CHECK(evaluate_row_errors(w, q));
  out = errors_to_remove(w, wanted);
  if (!open) return Status::ok;
  gap = w.loops.assembly.evaluate(q, nullptr, w.w());
  if (!(gap < INFINITY)) return fail_of_gap(w);
  std::copy_n(w.w().loop_phi, w.loops.gaps.size(), gaps);
  for (const double x : w.loops.gaps) out.squares += x * x;
  return Status::ok;
}

// move := the motion that removes the errors at `here`, the last configuration measured.
Status Approach::step_from_here() {
  const Status status = least_motion(w, here, wanted, 0, open ? gaps : nullptr);
  std::copy_n(w.w().qdd, nv, move);
  return status;
}

// In the metric of the mass matrix at `here`.
double Approach::length(const double* dq) {
  const Weightless weightless(w);
  Inputs<double> in = w.at_rest(here);
  in.qdd = dq;
  w.kernels->rnea(w.md(), in, force, w.w());
  double square = 0;
  for (int k = 0; k < nv; ++k) square += force[k] * dq[k];
  return std::sqrt(std::max(square, 0.0));
}

// Of the motion that would remove the errors at `next` if rows and loops were linear at `here`.
double Approach::length_left() {
  const Status status = least_motion(w, here, wanted, 0, open ? gaps : nullptr);
  return static_cast<std::int32_t>(status) < 0 ? INFINITY : length(w.w().qdd);
}

bool Approach::close_next() {
  return w.md().cluster_count == 0 ||
         w.loops.assembly.close(next, Assembly::Moves::all, w.w()) < loop_tolerance;
}

// next := here + step * move, and its errors. False where they are not finite, or where loops cannot be closed.
bool Approach::try_step(double step, Errors& out) {
  std::copy_n(here, nq, next);
  integrate_joints(w.md(), move, step, next);
  return (open || close_next()) && measure(next, out) == Status::ok;
}

// Leaves a step in `next`, measured: the longest that shortens the error. False where none of this length does.
bool Approach::shorten_error(double least) {
  constexpr double least_gain = 1e-4;
  Errors at_next;
  for (double step = 1; step >= least; step /= 2) {
    if (!try_step(step, at_next) || !(at_next.squares < (1 - least_gain * step) * left.squares)) continue;
    left = at_next;
    return true;
  }
  return false;
}

// The same by the natural level.
bool Approach::shorten_way(double least) {
  constexpr double least_gain = 0.25;
  const double whole = length(move);
  Errors at_next;
  for (double step = 1; step >= least; step /= 2)
    if (try_step(step, at_next) && length_left() < (1 - least_gain * step) * whole)
      return measure(next, left) == Status::ok;
  return false;
}

void Approach::keep_if_best(const double* q, const Errors& errors) {
  if (!(errors.squares < best_left.squares || errors.largest <= tolerance)) return;
  best_left = errors;
  std::copy_n(q, nq, best);
}

// Steps from `here`, measured, until `best` is on the rows, no step helps, or there were enough.
Status Approach::search() {
  // Where thirteen halvings do not help, no motion does.
  constexpr double shortest_step = 1e-4, long_step = 0.25;
  // A search that leads to a solution halves the error at least so often.
  constexpr int patience = 25;
  constexpr double closed = 1e-13;  // m or rad, nearly rounding
  double quarter = left.squares / 4;
  for (int slow = 0; error() > tolerance && taken < most && slow < patience; ++taken) {
    const Status status = step_from_here();
    if (static_cast<std::int32_t>(status) < 0) return status;
    if (!all_finite(move, nv)) break;
    if (!shorten_error(natural ? long_step : shortest_step) && !(natural && shorten_way(shortest_step)))
      break;
    const bool close = open && left.largest <= tolerance && gap <= std::max(tolerance, loop_tolerance);
    if (close && gap > closed && (!close_next() || measure(next, left) != Status::ok)) break;
    std::copy_n(next, nq, here);
    if (close || !open) keep_if_best(here, left);
    if (natural) ++slow;
    if (left.squares <= quarter) quarter = left.squares / 4, slow = 0;
  }
  return Status::ok;
}

Status Approach::from(const double* q) {
  std::copy_n(q, nq, here);
  TENON_CHECK(measure(here, left));
  std::copy_n(here, nq, best);
  best_left = left;
  search();
  if (error() <= tolerance) return Status::ok;
  if (open) {
    std::copy_n(here, nq, next);
    if (close_next() && measure(next, left) == Status::ok) keep_if_best(next, left);
  }
  natural = open = false;
  std::copy_n(best, nq, here);
  TENON_CHECK(measure(here, left));
  return search();
}

}  // namespace

Status project_positions(Workspace& workspace, double tolerance, int max_iterations, double* user_q) {
  WorkspaceImpl& w = begin(workspace);
  const double* q = user_q;
  TENON_CHECK(map_in_positions(w, q));
  if (!std::isfinite(tolerance))
    return w.fail(Status::not_finite, "tolerance is %g; give a finite number of 0 or more", tolerance);
  if (!(tolerance >= 0 && tolerance <= 1e300))
    return w.fail(Status::invalid_argument, "tolerance is %g; give a finite number of 0 or more", tolerance);
  if (max_iterations < 1)
    return w.fail(Status::invalid_argument, "max_iterations is %d; give at least 1", max_iterations);
  w.report = SolveReport{};
  if (w.rows() == 0) return Status::ok;
  Approach approach(w, tolerance, max_iterations);
  TENON_CHECK(approach.from(q));
  w.report = SolveReport{};
  w.report.iterations = approach.iterations();
  w.report.primal_residual = approach.error();
  w.message[0] = '\0';
  TENON_CHECK(map_out_positions(w, approach.found(), user_q));
  if (approach.error() <= tolerance) return Status::ok;
  return approach.iterations() == max_iterations ? Status::max_iterations : Status::infeasible;
}

Status project_velocities(Workspace& workspace, const double* q, double* user_v) {
  WorkspaceImpl& w = begin(workspace);
  const double* v = user_v;
  TENON_CHECK(map_in_state(w, q, v));
  w.report = SolveReport{};
  if (w.rows() == 0) return Status::ok;
  TENON_CHECK(evaluate_row_velocities(w, q, v));
  double* wanted = w.row_scratch.data();
  for (int r = 0; r < w.rows(); ++r) wanted[r] = -w.w().row_velocity[r];
  const Status status = change_velocities(w, q, v, wanted);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(map_out_motion(w, w.w().qdd, user_v));
  return status;
}

}  // namespace tenon
