// The map G of models with loops, mass matrices, and forward dynamics without constraint rows.
#pragma once

#include "spatial/cholesky.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

// Which independent coordinates the columns of G belong to. users: the model's, in which users give and get
// states; at their dead centres: singular_configuration. any: sweeps take other coordinates at and next to a
// dead centre; singular_configuration only where the mechanism itself is singular.
enum class SplitFor { users, any };

// G and g at (q, v), implicit constraints of the user included. A call evaluates them once for its state. The
// message of singular_configuration names the loop.
Status update_loops(WorkspaceImpl& w, const double* q, const double* v, SplitFor split = SplitFor::users);

// g := a motion that closes loops with these gaps (loop rows) to first order, K g = - gaps. After update_loops.
void bias_by_gaps(WorkspaceImpl& w, const double* gaps);

// M of the spanning tree, column-major, both triangles.
void tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld);
// The same, copied to a user: not_finite, and nothing is written, where an entry is not finite.
Status give_tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld);
// Checks the path rows of n coordinates up to the diagonal; entries beyond it are undefined.
Status check_path_rows(WorkspaceImpl& w, const double* rows, const std::int32_t* first,
                       const std::int32_t* depth, int n);
// G as one matrix, nv x ny, column-major. After update_loops.
void dense_G(const WorkspaceImpl& w, double* G, int ld);
// K as one matrix, loop rows x nv. After Assembly::evaluate.
void dense_K(const WorkspaceImpl& w, double* K, int ld);
// g; null where it is zero because G is constant.
inline const double* map_bias(const WorkspaceImpl& w) {
  return w.md().varying_clusters > 0 ? w.arena.data.g : nullptr;
}
// x = G y + offset (null: none) and y = G^T x, on vectors of all coordinates. After update_loops, or with blocks of
// G that a call before has kept.
void from_independent(const WorkspaceImpl& w, const double* y, const double* offset, double* x,
                      const double* kept_G = nullptr);
void to_independent_force(const WorkspaceImpl& w, const double* x, double* y, const double* kept_G = nullptr);

// H = G^T M G, the mass matrix of the independent coordinates, column-major, both triangles.
Status independent_mass_matrix(WorkspaceImpl& w, const double* q, double* H, int ld);

// w.loops.M, MG and the factor of G^T M G at q, after update_loops. Solve: y := (G^T M G)^-1 y.
Status factor_projected_mass_matrix(WorkspaceImpl& w, const double* q);
Status factor_held_mass_matrix(WorkspaceImpl& w, const double* q);  // of the matrix in w.loops.H
void solve_projected_mass_matrix(const WorkspaceImpl& w, double* y);
// y := (G^T M G)^-1 G^T M v, after update_loops.
Status project_by_mass(WorkspaceImpl& w, const double* q, const double* v, double* y);

// Forward dynamics without constraint rows, by ABA on the tree of clusters; on the folded model where that is
// possible.
Status solve_free(WorkspaceImpl& w, const Inputs<double>& in, double* qdd);

// Other independent coordinates for a cluster, at and next to a dead centre of the model's own
// (plan/memory/loop_split.hpp).
// Entries of G above this: G^T M G has their squares and loses six digits.
inline constexpr double steepest_G = 0x1p10;
// What packs leave to single calls, which check next to a dead centre where a step in time ends (calls/step_check.hpp), and
// whose derivatives keep digits there.
inline constexpr double ordinary_G = 32;

// Restores the model's coordinates in all clusters.
void restore_split(WorkspaceImpl& w);

// A cluster that uses the model's coordinates and whose dependent joints move so much faster than the
// independent ones that G^T M G loses digits; -1 for none. After the kernel has filled G.
int steep_cluster(const WorkspaceImpl& w);

}  // namespace tenon
