// First derivatives of inverse and forward dynamics (kernels/derivatives). With ID(q, v, qdd) = tau and y = M^-1 w,
//
//   dqdd/dx = - M^-1 dID/dx,   w^T dqdd/dx = - y^T dID/dx   for x = q, v,   dqdd/dtau = M^-1,
//
// at the qdd of forward dynamics. Joints with friction add the damping to dID/dv; what is dry of it is constant.
#include <algorithm>
#include <cmath>

#include "calls/derivatives/accelerations.hpp"
#include "calls/derivatives/embedded_loops.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/with_loops.hpp"
#include "scalar/index.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

namespace {

// Names in messages, of arguments of tenon.h.
struct Names {
  const char *by_q, *by_v, *by_third;
};

// Starts a call on a tree: no rows close loops, and the memory is there.
Status begin_derivatives(WorkspaceImpl& w) {
  TENON_CHECK(refuse_row_loops(w));
  *w.derivatives;
  return Status::ok;
}

bool embeds_loops(Workspace& workspace) {
  return workspace.impl().md().cluster_count > 0;
}

// Whether inverse dynamics is not that of the tree.
bool projects_loops(Workspace& workspace) {
  return embeds_loops(workspace) && workspace.impl().coordinates.independent_v;
}

// ---- results

// The solution and three derivatives of `columns` columns.
Status give(WorkspaceImpl& w, const DerivativeOptions& options, const double* solution, double* user,
            int columns, double* const (&x)[3], int ld, MatrixOrder order, const Names& names,
            const Derivatives& out) {
  const int n = w.model->nv;
  const auto block = [&](const double* by, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{by, n, columns, ld, name, to, nullptr, nullptr, order};
  };
  return give_derivatives(w, options.accumulate, {{solution, n, user}},
                          {block(x[0], names.by_q, out.by_q), block(x[1], names.by_v, out.by_v),
                           block(x[2], names.by_third, out.by_third)});
}
// Gradients, and changes.
Status give(WorkspaceImpl& w, const DerivativeOptions& options, const double* solution, double* user,
            double* const (&x)[3], const Names& names, const Derivatives& out) {
  return give(w, options, solution, user, 1, x, w.derivatives->ld, MatrixOrder::columns, names, out);
}

// ---- what inverse dynamics is at

// Limbs side by side for matrices, null: they do not pay. After begin_derivatives.
BranchLanes* limbs_of_matrices(const WorkspaceImpl& w) {
  return w.branches && w.branches->takes_matrices() ? w.branches.get() : nullptr;
}

// A checked state of forward dynamics, with the friction of joints. After begin().
Status map_in_tree(WorkspaceImpl& w, const Inputs<double>& user, Inputs<double>& in) {
  TENON_CHECK(begin_derivatives(w));
  TENON_CHECK(map_in_forward(w, user, in));
  in = with_friction(w, in);
  return Status::ok;
}

// A checked state.
Status map_in(Workspace& workspace, const Inputs<double>& user, WorkspaceImpl*& impl, Inputs<double>& in) {
  WorkspaceImpl& w = begin(workspace);
  impl = &w;
  TENON_CHECK(begin_derivatives(w));
  return map_in_inverse(w, user, in);
}
// x := M^-1 x, by the articulated inertias of forward dynamics.
void solve_by_inertias(WorkspaceImpl& w, double* x) {
  const int nv = w.model->nv;
  w.kernels->inverse_mass_times(w.md(), x, nv, 1, x, nv, w.derivatives->inverse_mass, w.w());
}

// tau, into numbers[3] of the memory, where the user wants it.
const double* torques(WorkspaceImpl& w, const Inputs<double>& in, const double* wanted) {
  double* tau = w.derivatives->numbers[3];
  if (!wanted) return tau;
  w.kernels->derivative_torques(w.md(), in.qdd, tau, w.w());
  add_friction(w, in.v, tau);
  return tau;
}

// Products of inverse dynamics, and tau into numbers[3] of the memory where the user wants it.
struct InverseProducts {
  InverseProducts(WorkspaceImpl& w_, const Inputs<double>& in_, const double* wanted_)
      : w(w_), in(in_), wanted(wanted_), limbs((w_.tree_branches ? w_.tree_branches : w_.branches).get()) {
    if (limbs && !limbs->takes_inverse_products()) limbs = nullptr;
    if (!limbs) w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  }
  void vjp(const double* y, double* const (&by)[3]) const {
    if (limbs)
      limbs->rnea_vjp(in, {nullptr, nullptr, y, by[0], by[1], by[2]}, room());
    else
      w.kernels->rnea_vjp(w.md(), in.wrenches, y, by[0], by[1], by[2], w.derivatives->data, w.w());
    add_damped(w, y, by[1]);
  }
  void jvp(const StateChange& change, double* x) const {
    if (limbs)
      limbs->rnea_jvp(in, {change.q, change.v, change.third, x, nullptr, nullptr}, room());
    else
      w.kernels->rnea_jvp(w.md(), in.v, in.wrenches, or_zero(w, change.q), change.v, change.third, x,
                          w.derivatives->data, w.w());
    add_damped(w, change.v, x);
  }
  // After one of them.
  const double* torques() const {
    if (!limbs) return tenon::torques(w, in, wanted);
    if (wanted) add_friction(w, in.v, room());
    return w.derivatives->numbers[3];
  }

 private:
  double* room() const { return wanted ? w.derivatives->numbers[3] : nullptr; }

  WorkspaceImpl& w;
  const Inputs<double>& in;
  const double* wanted;
  BranchLanes* limbs;
};

Status check_change(WorkspaceImpl& w, const StateChange& change, const Names& names) {
  TENON_CHECK(check_finite(w, names.by_q, change.q, w.model->nv));
  TENON_CHECK(check_finite(w, names.by_v, change.v, w.model->nv));
  return check_finite(w, names.by_third, change.third, w.model->nv);
}

}  // namespace

TreeSweeps::TreeSweeps(WorkspaceImpl& w_, bool wants_bodies)
    : w(w_), limbs(wants_bodies ? nullptr : w_.branches.get()) {
  if (limbs && !limbs->takes_products()) limbs = nullptr;
}

Status start_forward(const TreeSweeps& by, const Inputs<double>& user, Inputs<double>& in) {
  TENON_CHECK(map_in_tree(by.w, user, in));
  return solve_forward(by, in, true);
}

Status solve_forward(const TreeSweeps& by, Inputs<double>& in, bool products) {
  WorkspaceImpl& w = by.w;
  double* qdd = w.w().qdd;
  if (!(by.limbs ? by.limbs->aba(in, qdd) : w.kernels->aba(w.md(), in, qdd, w.w())))
    return fail_mass_matrix(w, in.q);
  TENON_CHECK(check_result(w, qdd, w.model->nv));
  in.qdd = qdd;
  if (products && !by.limbs) w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  return Status::ok;
}

ProductGradients tree_gradients(const TreeSweeps& by, const Inputs<double>& in, const double* gradient) {
  WorkspaceImpl& w = by.w;
  const int nv = w.model->nv;
  DerivativeMemory& d = *w.derivatives;
  double *by_q = d.numbers[0], *by_v = d.numbers[1], *y = d.numbers[3];
  std::copy_n(gradient, nv, y);
  if (by.limbs) {
    by.limbs->inverse_mass_times(y);
    by.limbs->rnea_vjp(in, {nullptr, nullptr, y, by_q, by_v, nullptr, true, true, true}, nullptr);
  } else {
    solve_by_inertias(w, y);
    w.kernels->rnea_vjp(w.md(), in.wrenches, y, by_q, by_v, d.numbers[2], d.data, w.w());
  }
  add_damped(w, y, by_v);
  for (double* g : {by_q, by_v})
    for (int k = 0; k < nv; ++k) g[k] = -g[k];
  return {by_q, by_v, y, nullptr};
}

ProductChange tree_change(const TreeSweeps& by, const Inputs<double>& in, const StateChange& change) {
  WorkspaceImpl& w = by.w;
  DerivativeMemory& d = *w.derivatives;
  double* x = d.numbers[0];
  if (by.limbs)
    by.limbs->rnea_jvp(in, {change.q, change.v, nullptr, x, nullptr, nullptr, true}, nullptr);
  else
    w.kernels->rnea_jvp(w.md(), in.v, in.wrenches, or_zero(w, change.q), change.v, nullptr, x, d.data, w.w());
  add_damped(w, change.v, x);
  const double* force = or_zero(w, change.third);
  for (int k = 0; k < w.model->nv; ++k) x[k] = force[k] - x[k];
  if (by.limbs)
    by.limbs->inverse_mass_times(x);
  else
    solve_by_inertias(w, x);
  return {x, nullptr};
}

Status check_differentiable(Workspace& workspace) {
  WorkspaceImpl& w = begin(workspace);
  if (embeds_loops(workspace)) TENON_CHECK(EmbeddedLoops(w).check());
  return refuse_row_loops(w);
}

Status check_forward_parameters(Workspace& workspace) {
  return refuse_row_loops(begin(workspace));
}

Status inverse_dynamics_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                    const Inputs<double>& user, double* tau, const Derivatives& out) {
  if (projects_loops(workspace))
    return inverse_derivatives_with_loops(begin(workspace), options, user, tau, out);
  WorkspaceImpl* impl = nullptr;
  Inputs<double> in;
  TENON_CHECK(map_in(workspace, user, impl, in));
  WorkspaceImpl& w = *impl;
  DerivativeMemory& d = *w.derivatives;
  BranchLanes* const limbs = limbs_of_matrices(w);
  const auto compute = [&](double* by_q, double* by_v, double* by_a, int ld, MatrixOrder order) {
    if (limbs) {
      limbs->rnea_derivatives(in, d.numbers[3], star_matrices(w, by_q, by_v, by_a, ld, order));
      return;
    }
    w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
    w.kernels->rnea_derivatives(w.md(), false, in.wrenches, by_q, by_v, by_a, ld, order, d.data, w.w());
    add_damping(w, by_v, ld);
  };
  const auto solution = [&]() -> const double* {
    if (!limbs) return torques(w, in, tau);
    if (tau) add_friction(w, in.v, d.numbers[3]);
    return d.numbers[3];
  };
  DerivativeOut layout;
  if (!options.accumulate && have_one_layout(out, layout) && cannot_overflow(w, in)) {
    compute(out.by_q.values, out.by_v.values, out.by_third.values, layout.ld,
            layout.row_major ? MatrixOrder::rows : MatrixOrder::columns);
    if (tau) std::copy_n(solution(), w.model->nv, tau);
    return Status::ok;
  }
  const auto wanted = [&](const DerivativeOut& x, int i) { return x.values ? d.matrix[i] : nullptr; };
  const int ld = limbs ? w.model->nv : d.ld;
  compute(wanted(out.by_q, 0), wanted(out.by_v, 1), wanted(out.by_third, 2), ld, MatrixOrder::columns);
  return give(w, options, solution(), tau, w.model->nv, d.matrix, ld, MatrixOrder::columns,
              {"dtau_dq", "dtau_dv", "dtau_da"}, out);
}

Status inverse_dynamics_vjp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const double* gradient, double* tau,
                            const Derivatives& out) {
  if (projects_loops(workspace))
    return inverse_vjp_with_loops(begin(workspace), options, user, gradient, tau, out);
  WorkspaceImpl* impl = nullptr;
  Inputs<double> in;
  TENON_CHECK(map_in(workspace, user, impl, in));
  WorkspaceImpl& w = *impl;
  TENON_CHECK(check_finite(w, "gradient", gradient, w.model->nv));
  const InverseProducts products(w, in, tau);
  double* const* numbers = w.derivatives->numbers;
  double* const x[3] = {numbers[0], numbers[1], numbers[2]};
  products.vjp(gradient, x);
  return give(w, options, products.torques(), tau, x, {"gradient_q", "gradient_v", "gradient_a"}, out);
}

Status inverse_dynamics_jvp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const StateChange& change, double* tau,
                            double* dtau) {
  if (projects_loops(workspace))
    return inverse_jvp_with_loops(begin(workspace), options, user, change, tau, dtau);
  WorkspaceImpl* impl = nullptr;
  Inputs<double> in;
  TENON_CHECK(map_in(workspace, user, impl, in));
  WorkspaceImpl& w = *impl;
  TENON_CHECK(check_change(w, change, {"dq", "dv", "da"}));
  const InverseProducts products(w, in, tau);
  double* const x[3] = {w.derivatives->numbers[0], nullptr, nullptr};
  products.jvp(change, x[0]);
  return give(w, options, products.torques(), tau, x, {"dtau", "", ""}, {{dtau, 0}, {}, {}});
}

Status forward_dynamics_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                    const Inputs<double>& user, double* qdd, const Derivatives& out) {
  if (embeds_loops(workspace))
    return derivatives_with_loops(begin(workspace), false, options, user, qdd, nullptr, {out, {}, {}, {}});
  WorkspaceImpl& w = begin(workspace);
  Inputs<double> in;
  TENON_CHECK(map_in_tree(w, user, in));
  DerivativeMemory& d = *w.derivatives;
  const bool by_paths = d.data.by_inverse && d.data.inverse_by_paths;
  if (by_paths) w.need(of_joint_space);  // for the factor
  const auto wanted = [&](const DerivativeOut& x, int i) { return x.values ? d.matrix[i] : nullptr; };
  double *dq = wanted(out.by_q, 0), *dv = wanted(out.by_v, 1), *inverse = wanted(out.by_third, 2);
  double* const solution = w.w().qdd;
  BranchLanes* const limbs = limbs_of_matrices(w);
  const int nv = w.model->nv, ld = limbs ? nv : d.ld;
  DerivativeOut layout;
  const bool may_go_at_once =
      !options.accumulate && have_one_layout(out, layout) && !layout.row_major && cannot_overflow(w, in);
  bool went_at_once = false;
  if (limbs) {
    const StarMatrices of_limbs = star_matrices(w, dq, dv, inverse, ld, MatrixOrder::columns),
                       of_user = star_matrices(w, out.by_q.values, out.by_v.values, out.by_third.values,
                                               layout.ld, MatrixOrder::columns);
    if (!limbs->forward_derivatives(in, solution, of_limbs, may_go_at_once ? &of_user : nullptr,
                                    &went_at_once))
      return fail_mass_matrix(w, in.q);
  } else if (!w.kernels->forward_motion(w.md(), in, solution, d.matrix[2], ld, d.data, w.w())) {
    return fail_mass_matrix(w, in.q);
  }
  TENON_CHECK(check_result(w, solution, nv));
  in.qdd = solution;
  MatrixOrder order = MatrixOrder::columns;
  if (!limbs) {
    const bool products = d.data.by_inverse && (dq || dv);
    if (!products) order = MatrixOrder::rows;
    w.kernels->rnea_derivatives(w.md(), by_paths, in.wrenches, dq, dv, nullptr, ld, order, d.data, w.w());
    add_damping(w, dv, ld);
    const bool is_moderate =
        (products || inverse) && w.kernels->place_inverse(w.md(), d.matrix[2], ld, d.data);
    if (products) {
      went_at_once = may_go_at_once && is_moderate && all_below(solution, nv, largest_speed);
      const auto side = [&](const double* D, const DerivativeOut& x, double* here) {
        return ResponseSide<double>{D, nullptr, went_at_once ? x.values : here, nullptr};
      };
      w.kernels->multiply_by_responses(
          w.md(), nullptr, {d.matrix[2], ld, 0},
          {{side(dq, out.by_q, dq), side(dv, out.by_v, dv)}, ld, went_at_once ? layout.ld : ld, 0},
          d.data.columns, d.data);
      if (went_at_once && inverse)
        w.kernels->copy_matrix(inverse, nv, nv, ld, false, out.by_third.values, layout.ld);
    } else {
      w.kernels->solve_derivatives(w.md(), dq, dv, ld, d.data);
    }
  }
  if (went_at_once) {
    if (qdd) std::copy_n(solution, nv, qdd);
    return Status::ok;
  }
  return give(w, options, in.qdd, qdd, nv, d.matrix, ld, order, {"dqdd_dq", "dqdd_dv", "dqdd_dtau"}, out);
}

Status forward_dynamics_vjp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const double* gradient, double* qdd,
                            const Derivatives& out) {
  if (embeds_loops(workspace))
    return vjp_with_loops(begin(workspace), false, options, user, gradient, nullptr, qdd, nullptr, {out, {}});
  WorkspaceImpl& w = begin(workspace);
  const TreeSweeps sweeps(w);
  Inputs<double> in;
  TENON_CHECK(start_forward(sweeps, user, in));
  TENON_CHECK(check_finite(w, "gradient", gradient, w.model->nv));
  const ProductGradients by = tree_gradients(sweeps, in, gradient);
  double* const x[3] = {by.q, by.v, by.tau};
  return give(w, options, in.qdd, qdd, x, {"gradient_q", "gradient_v", "gradient_tau"}, out);
}

Status inverse_dynamics_parameter_vjp(Workspace& workspace, const DerivativeOptions& options,
                                      const Inputs<double>& user, const double* gradient, double* tau,
                                      const ParameterGradient& out) {
  WorkspaceImpl& w = begin(workspace);
  DerivativeMemory& d = *w.derivatives;
  Inputs<double> in;
  const bool independent = w.coordinates.independent_v;
  if (const int ratios = w.model->loops.ratio_count; out.by_ratios && ratios > 0) {
    if (independent) return inverse_parameter_vjp_with_loops(w, options, user, gradient, tau, out);
    std::fill_n(w.parameters->by_ratios, ratios, 0.0);  // of the tree
  }
  TENON_CHECK(map_in_inverse(w, user, in));
  const int n = independent ? w.model->ny : w.model->nv;
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  if (independent) TENON_CHECK(update_loops(w, in.q, in.v));
  double *force = d.numbers[0], *solution = d.numbers[3];
  if (tau) {
    w.kernels->rnea(w.md(), in, force, w.w());
    add_friction(w, in.v, force);
    if (independent)
      to_independent_force(w, force, solution);
    else
      solution = force;
  }
  const double* y = gradient;
  if (independent) from_independent(w, gradient, nullptr, d.numbers[1]), y = d.numbers[1];
  w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  return give_parameter_gradients(w, options.accumulate, in, y, 1, {{solution, n, tau}}, out);
}

Status forward_dynamics_parameter_vjp(Workspace& workspace, const DerivativeOptions& options,
                                      const Inputs<double>& user, const double* gradient, double* qdd,
                                      const ParameterGradient& out) {
  if (embeds_loops(workspace))
    return parameter_vjp_with_loops(begin(workspace), false, options, user, gradient, nullptr, qdd, nullptr,
                                    out);
  WorkspaceImpl& w = begin(workspace);
  Inputs<double> in;
  TENON_CHECK(start_forward(TreeSweeps(w, true), user, in));
  TENON_CHECK(check_finite(w, "gradient", gradient, w.model->nv));
  double* y = w.derivatives->numbers[3];
  std::copy_n(gradient, w.model->nv, y);
  solve_by_inertias(w, y);
  return give_parameter_gradients(w, options.accumulate, in, y, -1, {{in.qdd, w.model->nv, qdd}}, out);
}

Status forward_dynamics_jvp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const StateChange& change, double* qdd,
                            double* dqdd) {
  if (embeds_loops(workspace))
    return jvp_with_loops(begin(workspace), false, options, user, {change, nullptr}, qdd, nullptr, dqdd,
                          nullptr);
  WorkspaceImpl& w = begin(workspace);
  const TreeSweeps sweeps(w);
  Inputs<double> in;
  TENON_CHECK(start_forward(sweeps, user, in));
  TENON_CHECK(check_change(w, change, {"dq", "dv", "dtau"}));
  return give_derivatives(w, options.accumulate, {{in.qdd, w.model->nv, qdd}},
                          {{tree_change(sweeps, in, change).qdd, w.model->nv, 1, 0, "dqdd", {dqdd, 0}}});
}

}  // namespace tenon
