// The damped inverse (Lambda^-1 + I / mu)^-1 of the Delassus matrix: inputs checked, the method chosen, the
// result in the user's order of rows. The table of methods is here.
#include "solvers/damped_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/check.hpp"
#include "solvers/delassus.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

DampedInverseMemory::DampedInverseMemory(int rows) {
  const std::size_t m = static_cast<std::size_t>(rows);
  factor.assign(m * m, 0.0);
  vector.assign(m, 0.0);
}

namespace {

// ---- dense: Cholesky factor of the matrix
// ----------------------------------------------------------------------------------------

Status factor_dense_matrix(WorkspaceImpl& w, const double* q, double mu) {
  TENON_CHECK(fill_delassus(w, DelassusMethod::dense, q));
  const int m = w.rows(), stride = whole_packs(m);
  double* L = w.damped.factor.data();
  for (int j = 0; j < m; ++j) {
    for (int i = j; i < m; ++i) {
      double x = w.w().delassus[j * stride + i] + (i == j ? 1 / mu : 0);
      for (int k = 0; k < j; ++k) x -= L[k * m + i] * L[k * m + j];
      L[j * m + i] = i == j ? std::sqrt(x) : x / L[j * m + j];
    }
    if (!(L[j * m + j] > 0))
      return w.fail(
          Status::not_positive_definite,
          "the Delassus matrix plus 1 / mu is not positive definite to rounding; give a smaller mu");
  }
  return Status::ok;
}

void solve_dense_factor(WorkspaceImpl& w, double* x) {
  const int m = w.rows();
  const double* L = w.damped.factor.data();
  for (int j = 0; j < m; ++j) {
    x[j] /= L[j * m + j];
    for (int i = j + 1; i < m; ++i) x[i] -= L[j * m + i] * x[j];
  }
  for (int j = m - 1; j >= 0; --j) {
    for (int i = j + 1; i < m; ++i) x[j] -= L[j * m + i] * x[i];
    x[j] /= L[j * m + j];
  }
}

struct MethodEntry {
  DampedInverseMethod method;
  Status (*factor)(WorkspaceImpl&, const double* q, double mu);
  void (*apply)(WorkspaceImpl&, double* x);  // in place, rows in the kernels' order
};
constexpr MethodEntry methods[] = {
    {DampedInverseMethod::dense, factor_dense_matrix, solve_dense_factor},
};

DampedInverseMethod choose(const WorkspaceImpl&) {
  return DampedInverseMethod::dense;
}

const MethodEntry* find(const WorkspaceImpl& w, DampedInverseMethod method) {
  const DampedInverseMethod chosen = method == DampedInverseMethod::automatic ? choose(w) : method;
  const MethodEntry* entry = std::find_if(std::begin(methods), std::end(methods),
                                          [&](const MethodEntry& e) { return e.method == chosen; });
  return entry == std::end(methods) ? nullptr : entry;
}

// The entry, its factor ready; null when message and status say why not.
Status factor(WorkspaceImpl& w, DampedInverseMethod method, const double* q, double mu,
              const MethodEntry*& entry) {
  w.message[0] = '\0';
  TENON_CHECK(check_configuration(w, "q", q));
  if (!(mu > 0 && mu <= 1e300))
    return w.fail(Status::invalid_argument, "mu is %g; give a finite number above zero", mu);
  entry = find(w, method);
  if (!entry)
    return w.fail(Status::unsupported,
                  "unsupported: damped inverse method %d is none of the methods of this version",
                  static_cast<int>(method));
  if (entry->method != DampedInverseMethod::dense)
    TENON_CHECK(check_no_bridges(w, "this damped inverse", "dense"));
  w.damped.factored = DampedInverseMethod::automatic;
  return w.rows() == 0 ? Status::ok : entry->factor(w, q, mu);
}

}  // namespace

Status damped_delassus_inverse(Workspace& workspace, DampedInverseMethod method, const double* q, double mu,
                               double* out, int ld) {
  WorkspaceImpl& w = workspace.impl();
  const MethodEntry* entry = nullptr;
  TENON_CHECK(factor(w, method, q, mu, entry));
  const int m = w.rows(), stride = whole_packs(m);
  double* x = w.damped.vector.data();
  for (int j = 0; j < m; ++j) {
    std::fill_n(x, m, 0.0);
    x[j] = 1;
    entry->apply(w, x);
    std::copy(x + j, x + m, w.w().delassus + j * stride + j);
  }
  symmetric_to_user(w, w.w().delassus, out, ld);
  return Status::ok;
}

Status factor_damped_delassus(Workspace& workspace, DampedInverseMethod method, const double* q, double mu) {
  WorkspaceImpl& w = workspace.impl();
  const MethodEntry* entry = nullptr;
  TENON_CHECK(factor(w, method, q, mu, entry));
  w.damped.factored = entry->method;
  return Status::ok;
}

Status apply_damped_delassus_inverse(Workspace& workspace, const double* B, int ldb, int count, double* X,
                                     int ldx) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  if (w.damped.factored == DampedInverseMethod::automatic)
    return w.fail(Status::invalid_argument,
                  "nothing is factored; call factor_damped_delassus first and mind its status");
  const int rows = w.rows();
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, rows));
  const MethodEntry* entry = find(w, w.damped.factored);
  double* x = w.damped.vector.data();
  for (int j = 0; j < count; ++j) {
    for (int r = 0; r < rows; ++r) x[r] = B[std::ptrdiff_t{j} * ldb + w.cd()->user_row[r]];
    entry->apply(w, x);
    for (int r = 0; r < rows; ++r) X[std::ptrdiff_t{j} * ldx + w.cd()->user_row[r]] = x[r];
  }
  return Status::ok;
}

}  // namespace tenon
