// Constrained forward dynamics: checks inputs, chooses the method (tenon/methods.hpp), writes outputs only
// when nothing failed.
#include "calls/constrained.hpp"

#include <algorithm>

#include "model/row_order.hpp"
#include "scalar/index.hpp"
#include "solve/methods.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"

namespace tenon {

namespace {

// Sets the multipliers of inactive rows to zero. A warm start may have other values, and methods that
// distribute force over redundant rows may leave rounding errors there.
void clear_inactive(WorkspaceImpl& w) {
  for (int r = 0; r < w.rows(); ++r)
    if (!w.cd()->active[r]) w.lambda[index(r)] = 0;
}

// Runs one method, on the folded model where it can. Leaves qdd in w.w().qdd and the multipliers, in
// the user's order, in w.user_lambda.
Outcome run(WorkspaceImpl& w, Method method, const SolveOptions& options, const Inputs<double>& in,
            const double* start) {
  w.report = SolveReport{};
  w.report.method = method;
  if (find_facts(method)->crosses_clusters) {
    if (FoldedWorkspace* f = folded_for(w, in)) {
      WorkspaceImpl& inner = f->workspace.impl();
      const Outcome outcome = run(inner, method, options, f->map_in(in), start);
      // At a dead centre only the model that is not folded can sweep with other coordinates.
      if (outcome != Status::singular_configuration) {
        w.report = inner.report;
        if (outcome && static_cast<std::int32_t>(*outcome) < 0) return w.fail(*outcome, "%s", inner.message);
        std::copy_n(inner.w().qdd, inner.model->nv, f->qdd.data());
        f->map_out(w.w().qdd);
        std::swap(w.user_lambda, inner.user_lambda);
        return outcome;
      }
    }
  }
  if (w.md().cluster_count > 0) TENON_CHECK(update_loops(w, in.q, in.v, SplitFor::any));
  rows_from_user(w.cd(), in.desired, w.w().desired);
  rows_from_user(w.cd(), start, w.lambda.data());
  if (start) clear_inactive(w);
  const Outcome outcome = function_of(method)({w, options, in, w.lambda.data()});
  if (outcome == Status::not_positive_definite) return fail_mass_matrix(w, in.q);
  clear_inactive(w);
  rows_to_user(w.cd(), w.lambda.data(), w.user_lambda.data());
  return outcome;
}

bool result_is_finite(const WorkspaceImpl& w) {
  return all_finite(w.arena.data.qdd, w.model->nv) && all_finite(w.user_lambda.data(), w.rows());
}

// J G in place of J, of leading dimension rows, and rhs - J g in place of rhs; each may be null.
Status rows_of_independent(WorkspaceImpl& w, const double* q, const double* v, double* J, double* rhs) {
  const int rows = w.rows();
  double* whole = w.coordinates.jacobian.data();
  TENON_CHECK(update_loops(w, q, v));
  w.kernels->constraint_jacobian(w.md(), *w.cd(), whole, rows, w.w());
  if (J) times_G(w, w.w().G, whole, rows, rows, J, rows);
  for (int k = 0; rhs && k < w.model->nv; ++k)
    for (int r = 0; r < rows; ++r) rhs[r] -= whole[std::ptrdiff_t{k} * rows + r] * w.w().g[k];
  return Status::ok;
}

}  // namespace

Status check_options(WorkspaceImpl& w, const SolveOptions& o) {
  const auto positive = [](double x) { return x >= 0 && x <= 1e300; };
  if (!positive(o.absolute_tolerance) || !positive(o.relative_tolerance) || !positive(o.mu) ||
      !positive(o.tikhonov))
    return w.fail(Status::invalid_argument, "tolerances, mu and tikhonov must be finite and not negative");
  if (o.max_iterations < 0)
    return w.fail(Status::invalid_argument, "max_iterations is %d; give 0 for no limit, or more",
                  o.max_iterations);
  return Status::ok;
}

Status motion_without_friction(WorkspaceImpl& w, const SolveOptions& options, const Inputs<double>& in,
                               const double* start) {
  const int rows = w.rows();
  const Method method =
      options.method == Method::automatic ? method_for(options, w.choice, w.md(), w.cd()) : options.method;
  const MethodFacts* facts = find_facts(method);
  if (!facts)
    return w.fail(Status::unsupported, "method %d is none of the methods of this version",
                  static_cast<int>(method));
  TENON_CHECK(check_inter_body_rows(w, method_facts, method));
  if (options.tikhonov > 0 && method != Method::pv)
    return w.fail(Status::unsupported, "tikhonov is for the method pv alone; use pv or automatic, or 0");
  if (rows == 0) {
    w.report = SolveReport{};
    w.report.method = method;
    TENON_CHECK(solve_free(w, in, w.w().qdd));
    w.report.rank = 0;
    return check_result(w, w.w().qdd, w.model->nv);
  }

  Outcome outcome = run(w, method, options, in, start);
  // An iteration that stalls is replaced by another method, at last by dense, which does not iterate.
  const auto answered = [&] {
    return outcome && (static_cast<std::int32_t>(*outcome) < 0 || result_is_finite(w));
  };
  if (!answered())
    outcome =
        run(w, next_method(w.md(), *w.cd(), w.arena.data.dof_depth, w.report.method), options, in, start);
  if (!answered()) outcome = run(w, Method::dense, options, in, start);
  return answered() ? *outcome : fail_result(w);
}

Status constrained_motion(WorkspaceImpl& w, const SolveOptions& options, const Inputs<double>& in,
                          const double* start) {
  return motion_without_friction(w, options, with_friction(w, in), start);
}

Status constrained_dynamics(Workspace& workspace, const SolveOptions& options, const Inputs<double>& user,
                            double* qdd, double* lambda) {
  WorkspaceImpl& w = begin(workspace);
  const int rows = w.rows();
  const double* start = options.warm_start ? lambda : nullptr;
  Inputs<double> in;
  TENON_CHECK(check_options(w, options));
  TENON_CHECK(map_in_forward(w, user, in));
  TENON_CHECK(check_finite(w, "lambda", start, rows));
  const Status status = constrained_motion(w, options, in, start);
  if (static_cast<std::int32_t>(status) < 0) return status;
  copy_motion(w, w.w().qdd, qdd);
  if (lambda) std::copy_n(w.user_lambda.data(), rows, lambda);
  return status;
}

Status constraint_rows(Workspace& workspace, const double* q, const double* v, const double* desired,
                       double* J, int ld, double* rhs, double* position_error, double* row_velocity) {
  WorkspaceImpl& w = begin(workspace);
  const int rows = w.rows(), nv = w.model->nv;
  TENON_CHECK(map_in_state(w, q, v));
  TENON_CHECK(check_finite(w, "desired", desired, rows));
  if (rows == 0) return Status::ok;
  rows_from_user(w.cd(), desired, w.w().desired);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;  // position errors even where no row is stabilised
  w.kernels->constraint_state(w.md(), posed, {q, v}, w.w());
  double *columns = w.stage.data(), *k = w.row_scratch.data();
  if (J && !w.coordinates.independent_v)
    w.kernels->constraint_jacobian(w.md(), *w.cd(), columns, rows, w.w());
  if (rhs) {
    w.kernels->constraint_right_hand_side(w.md(), *w.cd(), v, w.lambda.data(), w.w());
    rows_to_user(w.cd(), w.lambda.data(), k);
  }
  if (w.coordinates.independent_v && (J || rhs))
    TENON_CHECK(rows_of_independent(w, q, v, J ? columns : nullptr, rhs ? k : nullptr));
  if (position_error) TENON_CHECK(check_result(w, w.w().row_error, rows));
  if (row_velocity) TENON_CHECK(check_result(w, w.w().row_velocity, rows));
  if (rhs) TENON_CHECK(check_result(w, k, rows));
  TENON_CHECK(give_matrix(w, columns, rows, w.coordinates.independent_v ? w.model->ny : nv, rows, J, ld));
  if (rhs) std::copy_n(k, rows, rhs);
  if (position_error) rows_to_user(w.cd(), w.w().row_error, position_error);
  if (row_velocity) rows_to_user(w.cd(), w.w().row_velocity, row_velocity);
  return Status::ok;
}

Status anchor_here(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  if (w.rows() == 0) return Status::ok;
  std::fill_n(w.w().desired, w.rows(), 0.0);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;
  w.kernels->constraint_state(w.md(), posed, w.at_rest(q), w.w());
  for (const bool setting : {false, true}) {
    for (int constraint = 0; constraint < w.constraints->constraint_count(); ++constraint) {
      const int number = w.item_of[index(constraint)];
      const ConstraintItem& item = w.cd()->items[number];
      if (item.closure) continue;  // held against its second link, not an anchor
      const double* frame = w.cd()->frames + 12 * number;
      const Mat3<double> R = load_mat3<double>(w.w().Rs + 9 * item.node);
      Pose pose;
      store(pose.rotation.data(), R * load_mat3<double>(frame));
      store(pose.translation.data(),
            load_vec3<double>(w.w().ps + 3 * item.node) + R * load_vec3<double>(frame + 9));
      if (setting)
        workspace.set_anchor(constraint, pose);
      else
        TENON_CHECK(check_result(w, pose.translation.data(), 3));
    }
  }
  return Status::ok;
}

}  // namespace tenon
