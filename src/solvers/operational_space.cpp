// The operational-space products (Khatib, A unified approach for motion and force control of robot
// manipulators: the operational-space formulation, 1987) from the Delassus matrix and M^-1 J^T, and M^-1
// times vectors: inputs checked, results brought to the user's order of rows.
//
// Lambda = A^-1 with A = J M^-1 J^T: by Cholesky where A, scaled to unit diagonal, has pivots that leave nine
// digits, else as pseudo-inverse from its eigenvalues (unreachable.hpp).
#include <algorithm>
#include <cmath>

#include "solvers/coordinates.hpp"
#include "solvers/delassus.hpp"
#include "solvers/projection.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

constexpr double least_pivot = 1e-7;

// A: both triangles, n x n. out := A^-1 by A = L L^T, with L in place of the lower triangle of out first.
// False when a pivot is too small.
bool invert_by_cholesky(const double* A, int n, double* out) {
  const auto at = [n](int i, int j) { return std::ptrdiff_t{j} * n + i; };
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double x = A[at(i, j)];
      for (int k = 0; k < j; ++k) x -= out[at(i, k)] * out[at(j, k)];
      if (i == j && !(x > least_pivot * A[at(j, j)])) return false;
      out[at(i, j)] = i == j ? std::sqrt(x) : x / out[at(j, j)];
    }
  }
  // L := L^-1, column by column from the last row up to the diagonal.
  for (int j = 0; j < n; ++j) {
    out[at(j, j)] = 1 / out[at(j, j)];
    for (int i = j + 1; i < n; ++i) {
      double x = 0;
      for (int k = j; k < i; ++k) x -= out[at(i, k)] * out[at(k, j)];
      out[at(i, j)] = x / out[at(i, i)];
    }
  }
  // A^-1 = L^-T L^-1, upper triangle from what is below and on the diagonal, which is not needed again.
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

// w.delassus.Lambda from WorkspaceData::delassus; the rank.
int invert(WorkspaceImpl& w) {
  const int rows = w.rows(), stride = whole_packs(rows);
  double* A = w.pv.unreachable.A();
  for (int j = 0; j < rows; ++j)
    for (int i = j; i < rows; ++i) A[j * rows + i] = A[i * rows + j] = w.w().delassus[j * stride + i];
  if (invert_by_cholesky(A, rows, w.delassus.Lambda)) return rows;
  return w.pv.unreachable.pseudo_inverse(*w.cd(), w.delassus.Lambda);
}

// J and M^-1 J^T, rows in the kernels' order; the inertias and rows at q are there.
void place_jacobians(WorkspaceImpl& w) {
  const int rows = w.rows(), nv = w.model->nv;
  double *J = w.delassus.J, *X = w.delassus.inverse_mass_JT;
  w.kernels->constraint_jacobian(w.md(), *w.cd(), J, rows, w.w());
  const std::int32_t* user = w.cd()->user_row;
  for (int k = 0; k < nv; ++k)
    for (int r = 0; r < rows; ++r) X[std::ptrdiff_t{r} * nv + k] = J[std::ptrdiff_t{k} * rows + user[r]];
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < nv; ++k) J[std::ptrdiff_t{k} * rows + r] = X[std::ptrdiff_t{r} * nv + k];
  w.kernels->inverse_mass_times(w.md(), X, nv, rows, X, nv, w.delassus.inverse_mass, w.w());
}

// Column r of J_bar, in the kernels' order.
void column_of_J_bar(const WorkspaceImpl& w, int r, double* column) {
  const int rows = w.rows(), nv = w.model->nv;
  std::fill_n(column, nv, 0.0);
  for (int s = 0; s < rows; ++s) {
    const double x = w.delassus.Lambda[std::ptrdiff_t{r} * rows + s];
    const double* from = w.delassus.inverse_mass_JT + std::ptrdiff_t{s} * nv;
    for (int k = 0; k < nv; ++k) column[k] += x * from[k];
  }
}

void write_products(WorkspaceImpl& w, const OperationalSpace& out) {
  const int rows = w.rows(), nv = w.model->nv;
  const std::int32_t* user = w.cd() ? w.cd()->user_row : nullptr;
  for (int j = 0; out.Lambda && j < rows; ++j)
    for (int i = 0; i < rows; ++i)
      out.Lambda[user[i] + std::ptrdiff_t{user[j]} * out.ld_Lambda] =
          w.delassus.Lambda[std::ptrdiff_t{j} * rows + i];
  const bool mapped = w.coordinates.independent_v;
  const int n = mapped ? w.model->ny : nv;
  for (int j = 0; out.N && j < n; ++j)
    for (int i = 0; i < n; ++i) out.N[i + std::ptrdiff_t{j} * out.ld_N] = i == j ? 1 : 0;
  const double* J = w.delassus.J;
  if (mapped && rows > 0) {
    times_G(w, w.w().G, J, rows, rows, w.coordinates.jacobian.data(), rows);
    J = w.coordinates.jacobian.data();
  }
  double *column = w.w().qdd, *part = result_room(w, column);
  for (int r = 0; r < rows; ++r) {
    column_of_J_bar(w, r, column);
    give_motion(w, column, part);
    if (out.J_bar) std::copy_n(part, n, out.J_bar + std::ptrdiff_t{user[r]} * out.ld_J_bar);
    for (int j = 0; out.N && j < n; ++j) {
      const double x = J[std::ptrdiff_t{j} * rows + r];
      double* N = out.N + std::ptrdiff_t{j} * out.ld_N;
      for (int i = 0; x != 0 && i < n; ++i) N[i] -= part[i] * x;
    }
  }
}

// (G^T M G)^-1 B.
Status inverse_independent_mass_times(WorkspaceImpl& w, const double* q, const double* B, int ldb, int count,
                                      double* X, int ldx) {
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, w.model->ny));
  TENON_CHECK(update_loops(w, q, nullptr));
  TENON_CHECK(factor_projected_mass_matrix(w, q));
  for (int j = 0; j < count; ++j) {
    double* x = X + std::ptrdiff_t{j} * ldx;
    std::copy_n(B + std::ptrdiff_t{j} * ldb, w.model->ny, x);
    solve_projected_mass_matrix(w, x);
  }
  return Status::ok;
}

}  // namespace

Status inverse_mass_times(Workspace& workspace, const double* q, const double* B, int ldb, int count,
                          double* X, int ldx) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  if (w.coordinates.independent_v) return inverse_independent_mass_times(w, q, B, ldb, count, X, ldx);
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, w.model->nv));
  TENON_CHECK(update_loops(w, q, w.zeros.data()));
  if (!w.kernels->sweep_inertias(w.md(), q, w.w()))
    return w.fail(Status::not_positive_definite,
                  "the mass matrix is not positive definite; a moving body has no inertia along its joint");
  w.kernels->inverse_mass_times(w.md(), B, ldb, count, X, ldx, w.delassus.inverse_mass, w.w());
  return Status::ok;
}

Status operational_space(Workspace& workspace, const double* q, const OperationalSpace& out, int* rank) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_no_bridges(w, "operational_space", "delassus_matrix"));
  TENON_CHECK(fill_delassus(w, DelassusMethod::automatic, q));
  const int rows = w.rows();
  int found = 0;
  if (rows > 0) {
    place_jacobians(w);
    found = invert(w);
  }
  if (!all_finite(w.delassus.Lambda, rows * rows) ||
      !all_finite(w.delassus.inverse_mass_JT, rows * w.model->nv))
    return w.fail(Status::not_finite,
                  "the result is not finite: the inputs are too large for double precision");
  write_products(w, out);
  if (rank) *rank = found;
  return found < rows ? Status::rank_deficient : Status::ok;
}

}  // namespace tenon
