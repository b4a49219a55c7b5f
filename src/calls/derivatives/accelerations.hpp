// Products with first derivatives of accelerations at a state that is solved: what the calls of dynamics and of steps in
// time share. On trees without constraint rows by the articulated inertias of forward dynamics, else by the factors of
// solution.hpp.
#pragma once

#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/solution.hpp"

namespace tenon {

// How products on a tree are swept: limbs side by side, or where these are null bodies one after another, which leaves what
// sums over parameters need in the workspace.
struct TreeSweeps {
  explicit TreeSweeps(WorkspaceImpl& w_, bool wants_bodies = false);
  WorkspaceImpl& w;
  BranchLanes* limbs;
};
// Checks the state of a tree and solves forward dynamics without rows: in.qdd, and what products need. After begin().
Status start_forward(const TreeSweeps& by, const Inputs<double>& user, Inputs<double>& in);
// The same of a state that is checked, with the friction of joints among in.tau; without `products` the accelerations alone.
Status solve_forward(const TreeSweeps& by, Inputs<double>& in, bool products);

// Gradients of gradient^T qdd, or of that and of multipliers, in memory of the workspace.
struct ProductGradients {
  double *q, *v, *tau;
  double* desired;  // of rows, kernels' order; null without
};
// After start_forward; and after solve(). gradient, gradient_lambda null: zero; not in numbers[3] of the
// memory. on_rows: what is added to the multipliers b of rows, kernels' order; null: zero.
ProductGradients tree_gradients(const TreeSweeps& by, const Inputs<double>& in, const double* gradient);
ProductGradients solution_gradients(Solution& s, const double* gradient, const double* gradient_lambda,
                                    const double* on_rows = nullptr);

// The change of qdd, and of multipliers, likewise.
struct ProductChange {
  const double* qdd;
  const double* lambda;  // kernels' order; null without rows
};
ProductChange tree_change(const TreeSweeps& by, const Inputs<double>& in, const StateChange& change);
// singular_configuration where there is none along change.state.q. asked: what the change asks of rows, - ds, kernels' order,
// written; null: not wanted.
Status solution_change(Solution& s, const ConstrainedChange& change, ProductChange& to,
                       double* asked = nullptr);

}  // namespace tenon
