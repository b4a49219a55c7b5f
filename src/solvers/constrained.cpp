// Constrained forward dynamics: inputs checked, the method chosen, outputs written only when all went well.
// The table of methods is here.
#include <algorithm>

#include "solvers/constrained_aba.hpp"
#include "solvers/coordinates.hpp"
#include "solvers/folded.hpp"
#include "solvers/link_frames.hpp"
#include "solvers/projection.hpp"
#include "solvers/prox_ltl.hpp"
#include "solvers/prox_ltls.hpp"
#include "solvers/prox_pv.hpp"
#include "solvers/pv.hpp"
#include "solvers/pv_early.hpp"
#include "solvers/pv_soft.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// Between the user's order of rows and the kernels' (ConstraintData::user_row).
void from_user_rows(const WorkspaceImpl& w, const double* user, double* rows) {
  for (int r = 0; r < w.rows(); ++r) rows[r] = user ? user[w.cd()->user_row[r]] : 0;
}
void to_user_rows(const WorkspaceImpl& w, const double* rows, double* user) {
  for (int r = 0; r < w.rows(); ++r) user[w.cd()->user_row[r]] = rows[r];
}

Status solve_dense(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  reference::KktInputs in;
  in.q = p.q, in.v = p.v, in.tau = p.tau, in.wrenches = p.wrenches;
  in.desired = p.desired;
  in.anchors = w.anchor_poses.data();
  in.gravity = {w.w().gravity[0], w.w().gravity[1], w.w().gravity[2]};
  if (w.md().cluster_count > 0) {
    TENON_CHECK(update_loops(w, p.q, p.v));
    dense_G(w, w.loops.MG.data(), w.model->nv);
    in.G = w.loops.MG.data(), in.g = w.w().g;
  }
  const Status status = w.dense->solve(in, p.options, w.w().qdd, w.user_rows.data(), w.report);
  w.report.method = Method::dense;
  from_user_rows(w, w.user_rows.data(), p.lambda);
  return status;
}

// Methods that take no bridging rows couple each row with the inertia of one body, or eliminate it on one
// branch.
struct MethodEntry {
  Method method;
  Status (*solve)(const ConstrainedProblem&);
  const char* without_bridges;  // its name if it takes none
  bool crosses_clusters;
};
constexpr MethodEntry methods[] = {
    {Method::dense, solve_dense, nullptr, false},
    {Method::constrained_aba, solve_constrained_aba, "constrained_aba", true},
    {Method::prox_ltl, solve_prox_ltl, nullptr, false},
    {Method::prox_ltls, solve_prox_ltls, nullptr, false},
    {Method::pv, solve_pv, nullptr, true},
    {Method::prox_pv, solve_prox_pv, nullptr, true},
    {Method::pv_soft, solve_pv_soft, "pv_soft", true},
    {Method::pv_early, solve_pv_early, "pv_early", true},
};

bool crosses_clusters(Method method) {
  return std::any_of(std::begin(methods), std::end(methods),
                     [&](const MethodEntry& e) { return e.method == method && e.crosses_clusters; });
}

// Of options that only some methods follow, automatic takes one that does.
Method choose(const WorkspaceImpl& w, const SolveOptions& o) {
  const bool bridges = w.cd() && w.cd()->bridge_count > 0;
  const Method any = o.mu > 0 || !o.accelerate ? w.choice.proximal : w.choice.any;
  const Method method = o.tikhonov > 0 ? Method::pv : any;
  const bool tree = w.md().cluster_count == 0 && w.md().rotor_count == 0;
  if (tree || crosses_clusters(method)) return method;
  return bridges ? Method::pv : Method::constrained_aba;
}

Status check_options(WorkspaceImpl& w, const SolveOptions& o) {
  const auto positive = [](double x) { return x >= 0 && x <= 1e300; };
  if (!positive(o.absolute_tolerance) || !positive(o.relative_tolerance) || !positive(o.mu) ||
      !positive(o.tikhonov))
    return w.fail(Status::invalid_argument, "tolerances, mu and tikhonov must be finite and not negative");
  if (o.max_iterations < 1)
    return w.fail(Status::invalid_argument, "max_iterations is %d; give at least 1", o.max_iterations);
  return Status::ok;
}

// By the folded form of the model.
Status solve_folded(WorkspaceImpl& w, FoldedWorkspace& f, const SolveOptions& options, const double* q,
                    const double* v, const double* tau, const double* wrenches, const double* desired,
                    double* qdd, double* lambda) {
  f.take(q, v, tau);
  const Status status = constrained_dynamics(f.workspace, options, f.q.data(), f.v.data(), f.tau.data(),
                                             wrenches, desired, f.qdd.data(), lambda);
  const WorkspaceImpl& inner = f.workspace.impl();
  w.report = inner.report;
  if (static_cast<std::int32_t>(status) < 0) return w.fail(status, "%s", inner.message);
  double* motion = result_room(w, qdd);
  f.give(motion);
  give_motion(w, motion, qdd);
  return status;
}

// J G in place of J, rhs - J g in place of rhs; each may be null.
Status rows_of_independent(WorkspaceImpl& w, const double* q, const double* v, double* J, int ld,
                           double* rhs) {
  const int rows = w.rows();
  double* whole = w.coordinates.jacobian.data();
  TENON_CHECK(update_loops(w, q, v));
  w.kernels->constraint_jacobian(w.md(), *w.cd(), whole, rows, w.w());
  if (J) times_G(w, w.w().G, whole, rows, rows, J, ld);
  for (int k = 0; rhs && k < w.model->nv; ++k)
    for (int r = 0; r < rows; ++r) rhs[r] -= whole[std::ptrdiff_t{k} * rows + r] * w.w().g[k];
  return Status::ok;
}

}  // namespace

Status constrained_dynamics(Workspace& workspace, const SolveOptions& options, const double* q,
                            const double* v, const double* tau, const double* wrenches, const double* desired,
                            double* qdd, double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  const int rows = w.rows();
  TENON_CHECK(check_options(w, options));
  TENON_CHECK(take_state(w, q, v));
  TENON_CHECK(take_forces(w, tau));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "tau", tau, w.model->nv));
  TENON_CHECK(check_finite(w, "desired", desired, rows));
  if (options.warm_start) TENON_CHECK(check_finite(w, "lambda", lambda, rows));
  TENON_CHECK(load_wrenches(w, wrenches));
  const Method method = options.method == Method::automatic ? choose(w, options) : options.method;
  const MethodEntry* entry = std::find_if(std::begin(methods), std::end(methods),
                                          [&](const MethodEntry& e) { return e.method == method; });
  if (entry == std::end(methods))
    return w.fail(Status::unsupported, "unsupported: method %d is none of the methods of this version",
                  static_cast<int>(method));
  if (entry->without_bridges && rows > 0 && w.cd()->bridge_count > 0)
    return w.fail(Status::unsupported,
                  "unsupported: %s cannot take rows between two moving links; use pv, prox_pv, prox_ltl, "
                  "prox_ltls or dense",
                  entry->without_bridges);

  w.report = SolveReport{};
  w.report.method = method;
  if (rows == 0) {
    TENON_CHECK(solve_free(w, q, v, tau, wrenches != nullptr, w.w().qdd));
    w.report.rank = 0;
    give_motion(w, w.w().qdd, qdd);
    return Status::ok;
  }
  if (entry->crosses_clusters) {
    if (FoldedWorkspace* f = folded_for(w, wrenches != nullptr))
      return solve_folded(w, *f, options, q, v, tau, wrenches, desired, qdd, lambda);
  }
  if (w.md().cluster_count > 0) {
    if (w.cd()->bridge_count > 0 && method == Method::prox_ltls)
      return w.fail(
          Status::unsupported,
          "unsupported: rows between two moving links of a mechanism with kinematic loops by prox_ltls; use "
          "pv, prox_pv, prox_ltl or dense");
    if (method != Method::dense) TENON_CHECK(update_loops(w, q, v));
  }
  from_user_rows(w, desired, w.w().desired);
  from_user_rows(w, options.warm_start ? lambda : nullptr, w.lambda.data());
  const Status status = entry->solve({w, options, q, v, tau, wrenches, desired, w.lambda.data()});
  if (status == Status::not_positive_definite)
    return w.fail(status,
                  "the mass matrix is not positive definite; a moving body has no inertia along its joint");
  if (static_cast<std::int32_t>(status) < 0) return status;
  // A result that overflowed is no result.
  if (!all_finite(w.w().qdd, w.model->nv) || !all_finite(w.lambda.data(), rows))
    return w.fail(Status::not_finite,
                  "the result is not finite: the inputs are too large for double precision");
  give_motion(w, w.w().qdd, qdd);
  if (lambda) to_user_rows(w, w.lambda.data(), lambda);
  return status;
}

Status constraint_rows(Workspace& workspace, const double* q, const double* v, const double* desired,
                       double* J, int ld, double* rhs, double* position_error, double* row_velocity) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  const int rows = w.rows(), nv = w.model->nv;
  TENON_CHECK(take_state(w, q, v));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, nv));
  TENON_CHECK(check_finite(w, "desired", desired, rows));
  if (rows == 0) return Status::ok;
  from_user_rows(w, desired, w.w().desired);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;  // asked for here even where no row is stabilised
  w.kernels->constraint_state(w.md(), posed, q, v, false, w.w());
  if (J && !w.coordinates.independent_v) w.kernels->constraint_jacobian(w.md(), *w.cd(), J, ld, w.w());
  if (rhs) {
    w.kernels->constraint_right_hand_side(w.md(), *w.cd(), v, w.user_rows.data(), w.w());
    to_user_rows(w, w.user_rows.data(), rhs);
  }
  if (w.coordinates.independent_v && (J || rhs)) TENON_CHECK(rows_of_independent(w, q, v, J, ld, rhs));
  if (position_error) to_user_rows(w, w.w().row_error, position_error);
  if (row_velocity) to_user_rows(w, w.w().row_velocity, row_velocity);
  return Status::ok;
}

Status anchor_here(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  if (w.rows() == 0) return Status::ok;
  std::fill_n(w.w().desired, w.rows(), 0.0);
  ConstraintData posed = *w.cd();
  posed.poses = ConstraintPoses::with_errors;
  w.kernels->constraint_state(w.md(), posed, q, w.zeros.data(), false, w.w());
  for (int constraint = 0; constraint < w.constraints->constraint_count(); ++constraint) {
    const ConstraintItem& item = w.cd()->items[w.item_of[static_cast<std::size_t>(constraint)]];
    if (item.closure) continue;  // held by its second link
    const Mat3<double> R = load_mat3<double>(w.w().Rs + 9 * item.node);
    Pose pose;
    store(pose.rotation.data(), R * load_mat3<double>(item.R));
    store(pose.translation.data(),
          load_vec3<double>(w.w().ps + 3 * item.node) + R * load_vec3<double>(item.p));
    workspace.set_anchor(constraint, pose);
  }
  return Status::ok;
}

}  // namespace tenon
