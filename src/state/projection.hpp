// Dynamics of models with loops by projection of the spanning tree's, [LOOPS1] II-D:
//   yddot = (G^T M G)^-1 G^T (tau - c - M g),   qdd = G yddot + g.
// Cost O(nv^2 ny); a comparison method, exact like all others.
#pragma once

#include "plan/workspace_impl.hpp"
#include "spatial/cholesky.hpp"

namespace tenon {

// G and g at (q, v), the user's constraints included. A singular cluster: invalid_argument, with its loops
// named.
Status update_loops(WorkspaceImpl& w, const double* q, const double* v);

// M of the spanning tree, column-major, both triangles.
void tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld);
// The same for a user: not_finite, and nothing written, where an entry is not finite.
Status give_tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld);
// Path rows of n coordinates; what stands beyond the diagonal means nothing.
Status check_path_rows(WorkspaceImpl& w, const double* rows, const std::int32_t* first,
                       const std::int32_t* depth, int n);
// G as one matrix, nv x ny, column-major. After update_loops.
void dense_G(const WorkspaceImpl& w, double* G, int ld);
// K as one matrix, loop rows x nv. After Assembly::evaluate.
void dense_K(const WorkspaceImpl& w, double* K, int ld);
// x = G y + offset (null: none) and y = G^T x, on vectors of all coordinates. After update_loops.
void from_independent(const WorkspaceImpl& w, const double* y, const double* offset, double* x);
void to_independent_force(const WorkspaceImpl& w, const double* x, double* y);

// H = G^T M G, the mass matrix of the independent coordinates, column-major, both triangles.
Status independent_mass_matrix(WorkspaceImpl& w, const double* q, double* H, int ld);

// w.loops.M, MG and the factor of G^T M G at q, after update_loops; y := (G^T M G)^-1 y.
Status factor_projected_mass_matrix(WorkspaceImpl& w, const double* q);
Status factor_held_mass_matrix(WorkspaceImpl& w, const double* q);  // of the matrix in w.loops.H
void solve_projected_mass_matrix(const WorkspaceImpl& w, double* y);
// y := (G^T M G)^-1 G^T M v, after update_loops.
Status project_by_mass(WorkspaceImpl& w, const double* q, const double* v, double* y);

Status solve_projection(WorkspaceImpl& w, const double* q, const double* v, const double* tau,
                        bool has_wrenches, double* qdd);

// Forward dynamics without constraint rows, by ABA on the tree of clusters, folded where that is possible.
Status solve_free(WorkspaceImpl& w, const double* q, const double* v, const double* tau, bool has_wrenches,
                  double* qdd);

}  // namespace tenon
