#include "state/projection.hpp"

#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "state/check.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"

namespace tenon {

namespace {

// The entries of G and g that the kernel does not write: unit rows of the independent coordinates.
void reset_G(WorkspaceImpl& w, const ClusterData& c) {
  std::fill_n(w.w().G + c.G_begin, c.v_count * c.y_count, 0.0);
  for (int j = 0; j < c.y_count; ++j) {
    const int k = w.split.independent[c.y_begin + j];
    w.w().G[c.G_begin + j * c.v_count + k - c.v_begin] = 1;
    w.w().g[k] = 0;
  }
}

// Sets the tables of a cluster from marks, one for each coordinate, nonzero for dependent ones.
void set_split(WorkspaceImpl& w, const ClusterData& c, const double* dependent) {
  std::int32_t y = c.y_begin, d = c.d_begin;
  for (int i = 0; i < c.v_count; ++i) {
    const std::int32_t k = c.v_begin + i;
    w.split.y_index[k] = dependent[i] != 0 ? -1 : y;
    (dependent[i] != 0 ? w.split.dependent[d++] : w.split.independent[y++]) = k;
  }
  reset_G(w, c);
}

// Chooses dependent coordinates of a cluster by its current K, by QR with column pivots (Golub and Van Loan,
// Matrix Computations, 5.4.2). Returns false and changes nothing where K has too few independent columns: the
// mechanism itself is singular then.
// A column depends on those chosen before if less than singular_split of the longest column remains.
bool change_split(WorkspaceImpl& w, int cluster) {
  const ClusterData& c = w.md().clusters[cluster];
  const int rows = c.row_count;
  // LoopMemory::split_scratch has room for K and then the marks.
  double *A = w.loops.split_scratch.data(), *chosen = A + std::ptrdiff_t{rows} * c.v_count;
  std::copy_n(w.w().loop_K + c.K_begin, std::ptrdiff_t{rows} * c.v_count, A);
  std::fill_n(chosen, c.v_count, 0.0);
  const auto column = [&](int k) { return A + std::ptrdiff_t{k} * rows; };
  const auto product = [&](int i, int k) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) sum += column(i)[r] * column(k)[r];
    return sum;
  };
  double longest = 0;
  for (int d = 0; d < c.d_count; ++d) {
    int best = -1;
    double square = 0;
    for (int k = 0; k < c.v_count; ++k) {
      const double own = chosen[k] != 0 ? 0 : product(k, k);
      if (own > square) square = own, best = k;
    }
    if (d == 0) longest = square;
    if (best < 0 || !(square > singular_split * singular_split * longest)) return false;
    chosen[best] = 1;
    for (int k = 0; k < c.v_count; ++k) {
      if (chosen[k] != 0) continue;
      const double share = product(best, k) / square;
      for (int r = 0; r < rows; ++r) column(k)[r] -= share * column(best)[r];
    }
  }
  set_split(w, c, chosen);
  w.split.changed[cluster] = 1;
  w.split.any_changed = true;
  return true;
}

Status fail_singular(WorkspaceImpl& w, const double* q, int cluster) {
  if (!all_moderate(q, w.model->nq)) return fail_result(w);
  const ClusterData& c = w.md().clusters[cluster];
  return w.fail(
      Status::singular_configuration,
      "the loop '%s' is at a singular configuration: the velocities of its dependent joints do not follow "
      "from the independent ones; move it off the dead centre or make another joint independent",
      w.model->loops.names[index(c.constraint_begin)].c_str());
}

Status evaluate_loops(WorkspaceImpl& w, const double* q, const double* v, SplitFor split) {
  restore_split(w);
  // Each pass changes the coordinates of one more cluster.
  for (;;) {
    const int singular = w.kernels->cluster_constraints(w.md(), q, v, w.w());
    const int cluster = singular >= 0 || split == SplitFor::users ? singular : steep_cluster(w);
    if (cluster < 0) return Status::ok;
    // The terms of folded rotors are for the model's coordinates; the call is repeated on the model that is
    // not folded.
    const bool may = split == SplitFor::any && w.md().rotor_count == 0 && !w.split.changed[cluster];
    if (!may || !change_split(w, cluster)) return fail_singular(w, q, cluster);
  }
}

// Both triangles of M from its path rows in H.
void spread_mass_matrix(WorkspaceImpl& w, double* M, int ld) {
  spread_path_rows(w.md(), w.w().H, w.w().row_first, w.w().dof_depth, M, ld);
}

// M of a tree without clusters.
void crba(WorkspaceImpl& w, const double* q, double* M, int ld) {
  if (w.branches && w.branches->takes_mass())
    w.branches->crba(q, M, ld, w.w());
  else
    w.kernels->crba(w.md(), q, M, ld, w.w());
}

}  // namespace

void restore_split(WorkspaceImpl& w) {
  if (!w.split.any_changed) return;
  const ModelData& m = w.model->data();
  for (int i = 0; i < m.cluster_count; ++i) {
    if (!w.split.changed[i]) continue;
    const ClusterData& c = m.clusters[i];
    double* marks = w.loops.split_scratch.data();
    for (int k = 0; k < c.v_count; ++k) marks[k] = m.y_index[c.v_begin + k] < 0;
    set_split(w, c, marks);
    w.split.changed[i] = 0;
  }
  w.split.any_changed = false;
}

int steep_cluster(const WorkspaceImpl& w) {
  const ModelData& m = w.md();
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G || w.split.changed[i]) continue;
    const double* G = w.arena.data.G + c.G_begin;
    for (int e = 0; e < c.v_count * c.y_count; ++e)
      if (std::abs(G[e]) > steepest_G) return i;
  }
  return -1;
}

Status update_loops(WorkspaceImpl& w, const double* q, const double* v, SplitFor split) {
  if (w.md().varying_clusters == 0) return Status::ok;
  LoopMemory::Known& known = w.loops.known;
  const bool taken = q == known.q && (!v || v == known.v);
  const bool has_G = taken && known.G && (split == SplitFor::any || !w.split.any_changed);
  if (has_G && (known.g || !v)) return Status::ok;
  known.G = known.g = false;
  if (const int loop = evaluate_callbacks(*w.model, q, v, w.w(), w.loops.callback_scratch.data()); loop >= 0)
    return fail_of_callback(w, loop);
  // g alone, where G is that of the state taken and its clusters may be swept as they are.
  if (has_G && (split == SplitFor::users || steep_cluster(w) < 0))
    w.kernels->cluster_bias(w.md(), q, v, w.w());
  else
    TENON_CHECK(evaluate_loops(w, q, v, split));
  known.G = taken, known.g = taken && v;
  return Status::ok;
}

void bias_by_gaps(WorkspaceImpl& w, const double* gaps) {
  const ModelData& m = w.md();
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G) continue;
    for (int r = c.row_begin; r < c.row_begin + c.row_count; ++r) w.w().loop_k[r] = -gaps[r];
    split_cluster(m, c, {false, true}, w.w());
    // Linear rows have 0 here, which nothing writes again.
    std::fill_n(w.w().loop_k + c.row_begin, c.row_count, 0.0);
  }
}

Status check_path_rows(WorkspaceImpl& w, const double* rows, const std::int32_t* first,
                       const std::int32_t* depth, int n) {
  for (int k = 0; k < n; ++k) TENON_CHECK(check_result(w, rows + first[k], depth[k] + 1));
  return Status::ok;
}

void tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld) {
  const ModelData& m = w.md();
  if (m.cluster_count == 0) {
    crba(w, q, M, ld);
    return;
  }
  // crba fills blocks of whole subtrees, whose coordinates are not contiguous in a model with clusters; path
  // rows take any order of coordinates.
  w.need(of_joint_space);
  w.kernels->crba_rows(m, q, w.w().H, w.w());
  spread_mass_matrix(w, M, ld);
}

Status give_tree_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld) {
  // Written to the user's memory at once where no entry can overflow.
  if (w.md().cluster_count == 0 && w.moderate && all_moderate(q, w.model->nq)) {
    crba(w, q, M, ld);
    return Status::ok;
  }
  w.need(of_joint_space);
  w.kernels->crba_rows(w.md(), q, w.w().H, w.w());
  TENON_CHECK(check_path_rows(w, w.w().H, w.tables.row_first, w.tables.dof_depth, w.model->nv));
  spread_mass_matrix(w, M, ld);
  return Status::ok;
}

void dense_G(const WorkspaceImpl& w, double* G, int ld) {
  for (int j = 0; j < w.model->ny; ++j) {
    double* column = G + std::ptrdiff_t{j} * ld;
    std::fill_n(column, w.model->nv, 0.0);
    for_column(w.md(), w.arena.data.G, j, [&](int k, double x) { column[k] = x; });
  }
}

void dense_K(const WorkspaceImpl& w, double* K, int ld) {
  const ModelData& m = w.md();
  for (int k = 0; k < m.nv; ++k) std::fill_n(K + std::ptrdiff_t{k} * ld, m.loop_row_count, 0.0);
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    for (int k = 0; k < c.v_count; ++k)
      std::copy_n(w.arena.data.loop_K + c.K_begin + k * c.row_count, c.row_count,
                  K + std::ptrdiff_t{c.v_begin + k} * ld + c.row_begin);
  }
}

// The folded form where rotors alone follow other joints: its map is then G.
static const FoldedWorkspace* map_of_rotors(const WorkspaceImpl& w) {
  const FoldedWorkspace* f = w.folded.get();
  return f && f->folding.rotors_alone_follow ? f : nullptr;
}

void from_independent(const WorkspaceImpl& w, const double* y, const double* offset, double* x,
                      const double* kept_G) {
  if (const FoldedWorkspace* f = map_of_rotors(w)) {
    unfold_accelerations(f->folding, f->map, y, x);
    for (int k = 0; offset && k < w.model->nv; ++k) x[k] += offset[k];
    return;
  }
  times_explicit(w.md(), kept_G ? kept_G : w.arena.data.G, y, offset, x);
}

void to_independent_force(const WorkspaceImpl& w, const double* x, double* y, const double* kept_G) {
  if (const FoldedWorkspace* f = map_of_rotors(w)) return fold_forces(f->folding, f->map, x, y);
  times_explicit_transposed(w.md(), kept_G ? kept_G : w.arena.data.G, x, y);
}

Status independent_mass_matrix(WorkspaceImpl& w, const double* q, double* H, int ld) {
  if (w.md().cluster_count == 0) return give_tree_mass_matrix(w, q, H, ld);
  TENON_CHECK(update_loops(w, q, w.zeros.data()));
  IndependentSpaceData<double>& d = w.independent->data;
  w.kernels->independent_mass_rows(w.md(), q, d.w.H, d, w.w());
  TENON_CHECK(check_path_rows(w, d.w.H, d.w.row_first, d.w.dof_depth, d.tree.nv));
  spread_path_rows(d.tree, d.w.H, d.w.row_first, d.w.dof_depth, H, ld);
  return Status::ok;
}

Status factor_projected_mass_matrix(WorkspaceImpl& w, const double* q) {
  LoopMemory& s = w.loops;
  tree_mass_matrix(w, q, s.M.data(), w.model->nv);
  project_matrix(w.md(), w.w().G, s.M.data(), s.MG.data(), s.H.data());
  return factor_held_mass_matrix(w, q);
}

Status factor_held_mass_matrix(WorkspaceImpl& w, const double* q) {
  if (factor_positive(w.loops.H.data(), w.model->ny)) return Status::ok;
  return fail_mass_matrix(w, q);
}

void solve_projected_mass_matrix(const WorkspaceImpl& w, double* y) {
  solve_with_factor(w.loops.H.data(), w.model->ny, y);
}

Status project_by_mass(WorkspaceImpl& w, const double* q, const double* v, double* y) {
  TENON_CHECK(factor_projected_mass_matrix(w, q));
  for (int j = 0; j < w.model->ny; ++j) {
    const double* column = w.loops.MG.data() + std::ptrdiff_t{j} * w.model->nv;
    y[j] = 0;
    for (int k = 0; k < w.model->nv; ++k) y[j] += column[k] * v[k];
  }
  solve_projected_mass_matrix(w, y);
  return Status::ok;
}

Status solve_free(WorkspaceImpl& w, const Inputs<double>& in, double* qdd) {
  if (FoldedWorkspace* f = folded_for(w, in)) {
    WorkspaceImpl& inner = f->workspace.impl();
    const Status status = solve_free(inner, f->map_in(in), f->qdd.data());
    if (status == Status::ok) f->map_out(qdd);
    if (status != Status::singular_configuration)
      return status == Status::ok ? status : w.fail(status, "%s", inner.message);
  }
  TENON_CHECK(update_loops(w, in.q, in.v, SplitFor::any));
  BranchLanes* lanes = w.usable_branches();
  const bool positive = lanes ? lanes->aba(in, qdd) : w.kernels->aba(w.md(), in, qdd, w.w());
  if (positive) return Status::ok;
  return fail_mass_matrix(w, in.q);
}

}  // namespace tenon
