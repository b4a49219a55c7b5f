#include "state/check.hpp"

#include <cmath>

#include "scalar/index.hpp"
#include "state/coordinates.hpp"

namespace tenon {

Status check_finite(WorkspaceImpl& w, const char* what, const double* x, int n) {
  return !x || all_finite(x, n) ? Status::ok : check_finite_columns(w, what, x, n, 1, n);
}

Status check_finite_columns(WorkspaceImpl& w, const char* what, const double* x, int rows, int columns,
                            int ld) {
  for (int j = 0; rows > 0 && j < columns; ++j) {
    const std::ptrdiff_t first = std::ptrdiff_t{j} * ld;
    if (all_finite(x + first, rows)) continue;
    std::ptrdiff_t i = first;
    while (std::isfinite(x[i])) ++i;
    return w.fail(Status::not_finite, "%s[%td] is %s; every input must be finite", what, i,
                  std::isnan(x[i]) ? "NaN" : "infinite");
  }
  return Status::ok;
}

Status check_quaternion(WorkspaceImpl& w, const char* what, const double* q, int at, int joint) {
  const double* x = q + at;
  const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (std::abs(norm - 1) <= unit_norm_tolerance) return Status::ok;
  return w.fail(Status::not_normalized,
                "%s[%d..%d], the quaternion of joint '%s', has norm %.9g; give a unit quaternion (x y z w) "
                "or call normalize first",
                what, at, at + 3, w.model->joints[index(joint)].name.c_str(), norm);
}

Status check_configuration(WorkspaceImpl& w, const char* what, const double* q) {
  TENON_CHECK(check_finite(w, what, q, w.model->nq));
  for (const WorkspaceImpl::Quaternion& place : w.quaternions)
    TENON_CHECK(check_quaternion(w, what, q, place.q_index, place.joint));
  return Status::ok;
}

Status fail_result(WorkspaceImpl& w) {
  return w.fail(Status::not_finite,
                "the result is not finite: the inputs are too large for double precision");
}

Status check_result(WorkspaceImpl& w, const double* x, std::ptrdiff_t n) {
  return !x || all_finite(x, n) ? Status::ok : fail_result(w);
}

Status check_columns(WorkspaceImpl& w, const double* x, int rows, int columns, int ld) {
  if (ld == rows) return check_result(w, x, std::ptrdiff_t{rows} * columns);
  for (int j = 0; j < columns; ++j) TENON_CHECK(check_result(w, x + std::ptrdiff_t{j} * ld, rows));
  return Status::ok;
}

Status check_lower(WorkspaceImpl& w, const double* x) {
  return std::isfinite(w.kernels->finite_sum(x, w.rows())) ? Status::ok : fail_result(w);
}

Status check_upper(WorkspaceImpl& w, const double* x, int n, int ld) {
  for (int j = 0; j < n; ++j) TENON_CHECK(check_result(w, x + std::ptrdiff_t{j} * ld, j + 1));
  return Status::ok;
}

Status fail_mass_matrix(WorkspaceImpl& w, const double* q) {
  if (!all_moderate(q, w.model->nq))
    return w.fail(Status::not_finite,
                  "the mass matrix is not finite: the positions are too large for double precision");
  return fail_not_positive_definite(w);
}

Status give_numbers(WorkspaceImpl& w, const double* x, int n, double* user) {
  if (!user) return Status::ok;
  TENON_CHECK(check_result(w, x, n));
  if (user != x) std::copy_n(x, n, user);
  return Status::ok;
}

Status give_matrix(WorkspaceImpl& w, const double* x, int rows, int columns, int ldx, double* user, int ld) {
  if (!user) return Status::ok;
  TENON_CHECK(check_columns(w, x, rows, columns, ldx));
  if (ldx == rows && ld == rows) {
    std::copy_n(x, std::ptrdiff_t{rows} * columns, user);
    return Status::ok;
  }
  for (int j = 0; j < columns; ++j)
    std::copy_n(x + std::ptrdiff_t{j} * ldx, rows, user + std::ptrdiff_t{j} * ld);
  return Status::ok;
}

}  // namespace tenon
