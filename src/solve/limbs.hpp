// Constrained dynamics on limbs side by side, for its derivatives. For products with them (kernels/branches/product_branches.hpp) all
// sweeps, those of the linearised equations too, are in O(n + m), and the rows meet in one dense factor,
//
//   qdd = M^-1 (tau - c + J^T lambda),   (J M^-1 J^T + R) lambda = k - J M^-1 (tau - c).
//
// That factor has the square of the condition of the rows, as the one that solve_for_derivatives (solve/methods.hpp) takes first,
// and the same pivots decide. For matrices of stars the mass matrix is factored in blocks
// (kernels/branches/constrained_derivative_branches.hpp), which gives M^-1 J^T too.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Those of w, null: they cannot be used.
BranchLanes* limbs_of_row_products(WorkspaceImpl& w);

// False: there is no answer. Else qdd and p.lambda, and in w.dense the rank of the rows, all of them.
bool solve_on_limbs(BranchLanes& limbs, const ConstrainedProblem& p);

// Of M x - J^T y = X, J x + R y = G: X := x and G := y. G is zero for rows that are not active. After that.
void solve_column_on_limbs(BranchLanes& limbs, WorkspaceImpl& w, double* X, double* G);

// The same of matrices.
BranchLanes* star_of_row_matrices(WorkspaceImpl& w);
bool solve_on_star(BranchLanes& star, const ConstrainedProblem& p);

}  // namespace tenon
