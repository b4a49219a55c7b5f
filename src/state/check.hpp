// Checks of values at the start and at the end of every call. Inputs must be finite, quaternions of unit
// norm. Results stay in the workspace until they are known to be finite: finite inputs that are too large for
// double precision must not change what the user passed. Messages say what is wrong, where, and how to mend
// it. Nothing here allocates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "scalar/finite.hpp"
#include "state/workspace_impl.hpp"

// Returns from the calling function unless the expression is Status::ok.
#define TENON_CHECK(expression)                                      \
  do {                                                               \
    if (const Status s_ = (expression); s_ != Status::ok) return s_; \
  } while (false)

namespace tenon {

// The norm of a quaternion may differ from one by this.
inline constexpr double unit_norm_tolerance = 1e-6;

Status check_finite(WorkspaceImpl& w, const char* what, const double* x, int n);  // null passes
Status check_finite_columns(WorkspaceImpl& w, const char* what, const double* x, int rows, int columns,
                            int ld);
// Checks a quaternion x y z w of a joint at index `at` of q.
Status check_quaternion(WorkspaceImpl& w, const char* what, const double* q, int at, int joint);
Status check_configuration(WorkspaceImpl& w, const char* what,
                           const double* q);  // finite, quaternions of unit norm

// Checks of results before they are copied to the user: not_finite where one is not. Null passes.
// check_columns: the columns of a matrix.
Status check_result(WorkspaceImpl& w, const double* x, std::ptrdiff_t n);
Status check_columns(WorkspaceImpl& w, const double* x, int rows, int columns, int ld);
// Of a matrix over the rows with stride whole_packs(rows), the triangle on and below the diagonal. Of a square matrix,
// that on and above it.
Status check_lower(WorkspaceImpl& w, const double* x);
Status check_upper(WorkspaceImpl& w, const double* x, int n, int ld);
Status fail_result(WorkspaceImpl& w);
// Why a mass matrix at q could not be factored: q too large, or bodies without inertia.
Status fail_mass_matrix(WorkspaceImpl& w, const double* q);

// Check results that are not in joint coordinates (for those see coordinates.hpp) and copy them to the user.
// user null: not wanted. A matrix with leading dimension ldx is copied to one with ld.
[[nodiscard]] Status give_numbers(WorkspaceImpl& w, const double* x, int n, double* user);
[[nodiscard]] Status give_matrix(WorkspaceImpl& w, const double* x, int rows, int columns, int ldx,
                                 double* user, int ld);
// X (n x count, leading dimension ldx) := columns that fill(first, columns, to) writes at `to`, without gaps,
// from column `first` on. All are checked before any is written; where they do not fit into the workspace
// together, they are computed twice.
template <class Fill>
[[nodiscard]] Status give_columns(WorkspaceImpl& w, int n, int count, double* X, int ldx, Fill&& fill) {
  if (n == 0 || count == 0) return Status::ok;
  const int most = static_cast<int>(w.stage.size()) / n;
  const auto copy = [&](int first, int columns) {
    for (int j = 0; j < columns; ++j)
      std::copy_n(w.stage.data() + std::ptrdiff_t{j} * n, n, X + std::ptrdiff_t{first + j} * ldx);
  };
  for (int first = 0; first < count; first += most) {
    const int columns = std::min(most, count - first);
    fill(first, columns, w.stage.data());
    TENON_CHECK(check_result(w, w.stage.data(), std::ptrdiff_t{n} * columns));
  }
  if (count <= most) {
    copy(0, count);
    return Status::ok;
  }
  for (int first = 0; first < count; first += most) {
    const int columns = std::min(most, count - first);
    fill(first, columns, w.stage.data());
    copy(first, columns);
  }
  return Status::ok;
}

// Fails where there are rows between two moving links that a method cannot take, and names those of its table
// (tenon/methods.hpp) that can.
template <class Facts, std::size_t count>
Status check_inter_body_rows(WorkspaceImpl& w, const Facts (&table)[count], decltype(Facts::method) method) {
  const Facts& facts = *find_row(table, method);
  const bool clusters = w.md().cluster_count > 0;
  if (w.rows() == 0 || w.cd()->inter_body_count == 0 || facts.takes_inter_body_rows(clusters))
    return Status::ok;
  char others[256] = "";
  for (const Facts& other : table) {
    if (!other.takes_inter_body_rows(clusters)) continue;
    const std::size_t length = std::strlen(others);
    std::snprintf(others + length, sizeof others - length, "%s%s", length > 0 ? ", " : "", other.name);
  }
  return w.fail(Status::unsupported, "%s cannot take rows between two moving links%s; use one of %s",
                facts.name, facts.takes_inter_body_rows(false) ? " of a robot with embedded loops" : "",
                others);
}

}  // namespace tenon
