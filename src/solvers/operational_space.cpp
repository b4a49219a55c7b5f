// The operational-space products (Khatib, A unified approach for motion and force control of robot
// manipulators: the operational-space formulation, 1987) from the Delassus matrix and M^-1 J^T, and M^-1
// times vectors: inputs checked, results brought to the user's order of rows.
//
// Lambda = A^-1 with A = J M^-1 J^T: by Cholesky where A, scaled to unit diagonal, has pivots that leave nine
// digits, else as pseudo-inverse by the factor of J L^-T (row_factor.hpp).
//
// With embedded loops, v = G ydot, N is for motions that keep the loops closed. In spanning coordinates
// N = (1 - J_bar J) G E, E the independent ones of all coordinates: J N = 0 and N N = N hold for dependent
// rows too, where J times a motion that opens loops would leave the range of A.
#include <algorithm>
#include <cmath>

#include "solvers/coordinates.hpp"
#include "solvers/delassus.hpp"
#include "solvers/projection.hpp"
#include "solvers/prox_ltl.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

constexpr double least_pivot = 1e-7;

// A: lower triangle, n x n, leading dimension ld. out := A^-1 by A = L L^T, with L in place of the lower
// triangle of out first. False when a pivot is too small.
bool invert_by_cholesky(const double* A, int ld, int n, double* out) {
  const auto at = [n](int i, int j) { return std::ptrdiff_t{j} * n + i; };
  const auto given = [A, ld](int i, int j) { return A[std::ptrdiff_t{j} * ld + i]; };
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double x = given(i, j);
      for (int k = 0; k < j; ++k) x -= out[at(i, k)] * out[at(j, k)];
      if (i == j && !(x > least_pivot * given(j, j))) return false;
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

// w.delassus.Lambda from WorkspaceData::delassus, and the rank.
Status invert(WorkspaceImpl& w, const double* q, int& rank) {
  rank = w.rows();
  if (invert_by_cholesky(w.w().delassus, whole_packs(rank), rank, w.delassus->Lambda)) return Status::ok;
  TENON_CHECK(fill_delassus(w, DelassusMethod::ltl_osim, q));
  const JointSpace s = joint_space_of(w);
  ConstraintData rigid = s.rows;
  rigid.compliance = w.zeros.data();
  w.dense->factor.factor(s.tree, rigid, s.w.ZT);
  w.dense->factor.pseudo_inverse(w.delassus->Lambda);
  rank = w.dense->factor.rank();
  return Status::ok;
}

// J and M^-1 J^T, rows in the kernels' order; the inertias and rows at q are there.
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

// Column r of J_bar, in the kernels' order.
void column_of_J_bar(const WorkspaceImpl& w, int r, double* column) {
  const int rows = w.rows(), nv = w.model->nv;
  std::fill_n(column, nv, 0.0);
  for (int s = 0; s < rows; ++s) {
    const double x = w.delassus->Lambda[std::ptrdiff_t{r} * rows + s];
    const double* from = w.delassus->inverse_mass_JT + std::ptrdiff_t{s} * nv;
    for (int k = 0; k < nv; ++k) column[k] += x * from[k];
  }
}

// N of no rows: motions that keep embedded loops closed.
void start_N(WorkspaceImpl& w, bool mapped, double* N, int ld) {
  const int nv = w.model->nv, ny = w.model->ny, n = mapped ? ny : nv;
  for (int j = 0; j < n; ++j) std::fill_n(N + std::ptrdiff_t{j} * ld, n, 0.0);
  if (mapped || w.md().cluster_count == 0) {
    for (int j = 0; j < n; ++j) N[std::ptrdiff_t{j} * ld + j] = 1;
    return;
  }
  dense_G(w, w.loops.MG.data(), nv);
  for (int y = 0; y < ny; ++y)
    std::copy_n(w.loops.MG.data() + std::ptrdiff_t{y} * nv, nv,
                N + std::ptrdiff_t{w.md().independent[y]} * ld);
}

void write_products(WorkspaceImpl& w, const OperationalSpace& out) {
  const int rows = w.rows(), nv = w.model->nv;
  const std::int32_t* user = w.cd() ? w.cd()->user_row : nullptr;
  for (int j = 0; out.Lambda && j < rows; ++j)
    for (int i = 0; i < rows; ++i)
      out.Lambda[user[i] + std::ptrdiff_t{user[j]} * out.ld_Lambda] =
          w.delassus->Lambda[std::ptrdiff_t{j} * rows + i];
  // Of N: J G, and where column y of it stands.
  const bool loops = w.md().cluster_count > 0, mapped = w.coordinates.independent_v;
  const int n = mapped ? w.model->ny : nv, columns = loops ? w.model->ny : nv;
  const auto place = [&](int y) { return loops && !mapped ? w.md().independent[y] : y; };
  const double* J = w.delassus->J;
  if (loops && rows > 0) {
    times_G(w, w.w().G, J, rows, rows, w.coordinates.jacobian.data(), rows);
    J = w.coordinates.jacobian.data();
  }
  if (out.N) start_N(w, mapped, out.N, out.ld_N);
  double *column = w.w().qdd, *part = result_room(w, column);
  for (int r = 0; r < rows; ++r) {
    column_of_J_bar(w, r, column);
    give_motion(w, column, part);
    if (out.J_bar) std::copy_n(part, n, out.J_bar + std::ptrdiff_t{user[r]} * out.ld_J_bar);
    for (int y = 0; out.N && y < columns; ++y) {
      const double x = J[std::ptrdiff_t{y} * rows + r];
      double* N = out.N + std::ptrdiff_t{place(y)} * out.ld_N;
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
  if (!w.kernels->sweep_inertias(w.md(), q, w.w())) return fail_not_positive_definite(w);
  w.kernels->inverse_mass_times(w.md(), B, ldb, count, X, ldx, w.delassus->inverse_mass, w.w());
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
    TENON_CHECK(invert(w, q, found));
  }
  if (!all_finite(w.delassus->Lambda, rows * rows) ||
      !all_finite(w.delassus->inverse_mass_JT, rows * w.model->nv))
    return w.fail(Status::not_finite,
                  "the result is not finite: the inputs are too large for double precision");
  write_products(w, out);
  if (rank) *rank = found;
  return found < rows ? Status::rank_deficient : Status::ok;
}

}  // namespace tenon
