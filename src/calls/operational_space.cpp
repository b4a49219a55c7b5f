// The operational-space products (Khatib, A unified approach for motion and force control of robot
// manipulators: the operational-space formulation, 1987) from the Delassus matrix and M^-1 J^T, and M^-1
// times vectors. Checks inputs, writes results in the user's order of rows.
//
// Lambda = A^-1 with A = J M^-1 J^T: by Cholesky where the pivots of A, scaled to unit diagonal, leave nine
// digits, else the pseudo-inverse by the factor of J L^-T (kernels/constrained/row_factor.hpp).
//
// With embedded loops, v = G ydot, N projects onto motions that keep the loops closed. In spanning
// coordinates N = (1 - J_bar J) G E, where E picks the independent coordinates of all: so J N = 0 and N N = N
// hold for redundant rows too. Without G E, N would get motions that open loops, for which J can leave the
// range of A.
#include <algorithm>
#include <cmath>

#include "calls/delassus.hpp"
#include "data/rank.hpp"
#include "solve/prox_ltl.hpp"
#include "spatial/lanes.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

// A: lower triangle, n x n, leading dimension ld. out := A^-1 by A = L L^T; out holds L in its lower triangle
// in between. False when a pivot is too small.
bool invert_by_cholesky(const double* A, int ld, int n, double* out) {
  const auto at = [n](int i, int j) { return std::ptrdiff_t{j} * n + i; };
  const auto given = [A, ld](int i, int j) { return A[std::ptrdiff_t{j} * ld + i]; };
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double x = given(i, j);
      for (int k = 0; k < j; ++k) x -= out[at(i, k)] * out[at(j, k)];
      if (i == j && !(x > sure_pivot_of_inverse * given(j, j))) return false;
      out[at(i, j)] = i == j ? std::sqrt(x) : x / out[at(j, j)];
    }
  }
  // L := L^-1, column by column, from the last one.
  for (int j = 0; j < n; ++j) {
    out[at(j, j)] = 1 / out[at(j, j)];
    for (int i = j + 1; i < n; ++i) {
      double x = 0;
      for (int k = j; k < i; ++k) x -= out[at(i, k)] * out[at(k, j)];
      out[at(i, j)] = x / out[at(i, i)];
    }
  }
  // A^-1 = L^-T L^-1: the upper triangle from the lower one and the diagonal, each of which is read before it
  // is overwritten.
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      double x = 0;
      for (int k = j; k < n; ++k) x += out[at(k, i)] * out[at(k, j)];
      out[at(i, j)] = x;
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) out[at(i, j)] = out[at(j, i)];
  return true;
}

// w.delassus->Lambda := A^-1 from WorkspaceData::delassus, and its rank.
Status invert(WorkspaceImpl& w, const double* q, int& rank) {
  rank = w.rows();
  if (invert_by_cholesky(w.w().delassus, whole_packs(rank), rank, w.delassus->Lambda)) return Status::ok;
  TENON_CHECK(fill_delassus(w, DelassusMethod::ltl_osim, q, SplitFor::users));
  const JointSpace s = joint_space_of(w);
  ConstraintData rigid = s.rows;
  rigid.compliance = w.zeros.data();
  RowFactorData& factor = w.dense->factor.data;
  w.kernels->factor_rows(s.tree, rigid, s.w.ZT, factor);
  w.kernels->row_pseudo_inverse(w.delassus->Lambda, factor);
  rank = factor.rank;
  return Status::ok;
}

// J and M^-1 J^T, rows in the kernels' order; inertias and rows at q are already in the workspace.
void place_jacobians(WorkspaceImpl& w) {
  const int rows = w.rows(), nv = w.model->nv;
  double *J = w.delassus->J, *X = w.delassus->inverse_mass_JT;
  w.kernels->constraint_jacobian(w.md(), *w.cd(), J, rows, w.w());
  const std::int32_t* user = w.cd()->user_row;
  for (int k = 0; k < nv; ++k)
    for (int r = 0; r < rows; ++r) X[std::ptrdiff_t{r} * nv + k] = J[std::ptrdiff_t{k} * rows + user[r]];
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < nv; ++k) J[std::ptrdiff_t{k} * rows + r] = X[std::ptrdiff_t{r} * nv + k];
  w.kernels->inverse_mass_times(w.md(), X, nv, rows, X, nv, w.delassus->inverse_mass, w.w());
}

// Replaces M^-1 J^T by J_bar = M^-1 J^T Lambda, row by row.
void place_J_bar(WorkspaceImpl& w) {
  const int rows = w.rows(), nv = w.model->nv;
  double *X = w.delassus->inverse_mass_JT, *row = w.row_scratch.data();
  for (int k = 0; k < nv; ++k) {
    std::fill_n(row, rows, 0.0);
    for (int s = 0; s < rows; ++s) {
      const double x = X[std::ptrdiff_t{s} * nv + k];
      const double* Lambda = w.delassus->Lambda + std::ptrdiff_t{s} * rows;
      for (int r = 0; r < rows; ++r) row[r] += x * Lambda[r];
    }
    for (int r = 0; r < rows; ++r) X[std::ptrdiff_t{r} * nv + k] = row[r];
  }
}

// Column j of N = N_0 - J_bar J in the coordinates of the workspace; N_0 is N without rows (G E in spanning
// coordinates, else 1). J: J G with loops. G: for spanning coordinates with loops, else null. part: J_bar.
void column_of_N(const WorkspaceImpl& w, const double* J, const double* G, const double* part, int n, int j,
                 double* column) {
  const int rows = w.rows(), y = G ? w.md().y_index[j] : j;
  std::fill_n(column, n, 0.0);
  if (y < 0) return;
  if (G)
    std::copy_n(G + std::ptrdiff_t{y} * n, n, column);
  else
    column[j] = 1;
  for (int r = 0; r < rows; ++r) {
    const double x = J[std::ptrdiff_t{y} * rows + r];
    const double* from = part + std::ptrdiff_t{r} * n;
    for (int i = 0; x != 0 && i < n; ++i) column[i] -= from[i] * x;
  }
}

// Writes what the user wants; Lambda, M^-1 J^T and J are there, finite, in the kernels' order.
Status write_products(WorkspaceImpl& w, const OperationalSpace& out) {
  const int rows = w.rows(), nv = w.model->nv;
  const std::int32_t* user = w.cd() ? w.cd()->user_row : nullptr;
  const bool loops = w.md().cluster_count > 0, mapped = w.coordinates.independent_v;
  const int n = mapped ? w.model->ny : nv;
  const double *J = nullptr, *J_bar = nullptr, *G = nullptr;
  if (rows > 0 && (out.J_bar || out.N)) {
    place_J_bar(w);
    J = w.delassus->J;
    if (loops) {
      times_G(w, w.w().G, J, rows, rows, w.coordinates.jacobian.data(), rows);
      J = w.coordinates.jacobian.data();
      TENON_CHECK(check_result(w, J, rows * w.model->ny));
    }
    // A column in independent coordinates is shorter than before, so that it overwrites no column not yet
    // read.
    for (int r = 0; mapped && r < rows; ++r) {
      copy_motion(w, w.delassus->inverse_mass_JT + std::ptrdiff_t{r} * nv, w.stage.data());
      std::copy_n(w.stage.data(), n, w.delassus->inverse_mass_JT + std::ptrdiff_t{r} * n);
    }
    J_bar = w.delassus->inverse_mass_JT;
    TENON_CHECK(check_result(w, J_bar, rows * n));
  }
  if (out.N && loops && !mapped) {
    dense_G(w, w.loops.MG.data(), nv);
    G = w.loops.MG.data();
    TENON_CHECK(check_result(w, G, nv * w.model->ny));
  }
  if (out.N)
    TENON_CHECK(give_columns(w, n, n, out.N, out.ld_N, [&](int first, int columns, double* to) {
      for (int j = 0; j < columns; ++j) column_of_N(w, J, G, J_bar, n, first + j, to + std::ptrdiff_t{j} * n);
    }));
  for (int r = 0; out.J_bar && r < rows; ++r)
    std::copy_n(J_bar + std::ptrdiff_t{r} * n, n, out.J_bar + std::ptrdiff_t{user[r]} * out.ld_J_bar);
  for (int j = 0; out.Lambda && j < rows; ++j)
    for (int i = 0; i < rows; ++i)
      out.Lambda[user[i] + std::ptrdiff_t{user[j]} * out.ld_Lambda] =
          w.delassus->Lambda[std::ptrdiff_t{j} * rows + i];
  return Status::ok;
}

// (G^T M G)^-1 B.
Status inverse_independent_mass_times(WorkspaceImpl& w, const double* q, const double* B, int ldb, int count,
                                      double* X, int ldx) {
  TENON_CHECK(map_in_positions(w, q));
  TENON_CHECK(check_finite_columns(w, "B", B, w.model->ny, count, ldb));
  TENON_CHECK(update_loops(w, q, nullptr));
  TENON_CHECK(factor_projected_mass_matrix(w, q));
  const int n = w.model->ny;
  return give_columns(w, n, count, X, ldx, [&](int first, int columns, double* to) {
    for (int j = 0; j < columns; ++j) {
      std::copy_n(B + std::ptrdiff_t{first + j} * ldb, n, to + std::ptrdiff_t{j} * n);
      solve_projected_mass_matrix(w, to + std::ptrdiff_t{j} * n);
    }
  });
}

}  // namespace

Status inverse_mass_times(Workspace& workspace, const double* q, const double* B, int ldb, int count,
                          double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  if (w.coordinates.independent_v) return inverse_independent_mass_times(w, q, B, ldb, count, X, ldx);
  TENON_CHECK(map_in_positions(w, q));
  TENON_CHECK(check_finite_columns(w, "B", B, w.model->nv, count, ldb));
  TENON_CHECK(update_loops(w, q, w.zeros.data(), SplitFor::any));
  TENON_CHECK(sweep_inertias(w, q));
  const int n = w.model->nv;
  return give_columns(w, n, count, X, ldx, [&](int first, int columns, double* to) {
    w.kernels->inverse_mass_times(w.md(), B + std::ptrdiff_t{first} * ldb, ldb, columns, to, n,
                                  w.delassus->inverse_mass, w.w());
  });
}

Status operational_space(Workspace& workspace, const double* q, const OperationalSpace& out, int* rank) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  if (w.rows() > 0 && w.cd()->inter_body_count > 0)
    return w.fail(Status::unsupported,
                  "operational_space cannot take rows between two moving links; use delassus_matrix");
  TENON_CHECK(update_loops(w, q, w.zeros.data()));
  TENON_CHECK(fill_delassus(w, DelassusMethod::automatic, q, SplitFor::users, true));
  const int rows = w.rows();
  int found = 0;
  if (rows > 0) {
    place_jacobians(w);
    TENON_CHECK(invert(w, q, found));
  }
  TENON_CHECK(check_result(w, w.delassus->Lambda, rows * rows));
  TENON_CHECK(check_result(w, w.delassus->J, rows * w.model->nv));
  TENON_CHECK(check_result(w, w.delassus->inverse_mass_JT, rows * w.model->nv));
  TENON_CHECK(write_products(w, out));
  if (rank) *rank = found;
  const int active = rows > 0 ? static_cast<int>(std::count(w.cd()->active, w.cd()->active + rows, 1)) : 0;
  return found < active ? Status::rank_deficient : Status::ok;
}

}  // namespace tenon
