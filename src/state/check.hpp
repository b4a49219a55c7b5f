// Value checks at both doors of every call. Inputs: finite numbers, unit quaternions. Results: they wait in
// the workspace until they are known to be finite and go to the user then, so that nothing was written where
// finite inputs were too large. Messages say what, where and how to mend it. On the hot path: nothing
// allocates.
#pragma once

#include <algorithm>
#include <cstddef>

#include "plan/workspace_impl.hpp"
#include "scalar/finite.hpp"

// Returns from the calling function unless the expression is Status::ok.
#define TENON_CHECK(expression)                                      \
  do {                                                               \
    if (const Status s_ = (expression); s_ != Status::ok) return s_; \
  } while (false)

namespace tenon {

Status check_finite(WorkspaceImpl& w, const char* what, const double* x, int n);  // null passes
Status check_configuration(WorkspaceImpl& w, const char* what,
                           const double* q);  // finite, quaternions of unit norm

// Results, before they go to the user: not_finite where one is not. Null passes. The columns of a matrix.
Status check_result(WorkspaceImpl& w, const double* x, int n);
Status check_columns(WorkspaceImpl& w, const double* x, int rows, int columns, int ld);
// The triangle on and below, or on and above, the diagonal.
Status check_lower(WorkspaceImpl& w, const double* x, int n, int ld);
Status check_upper(WorkspaceImpl& w, const double* x, int n, int ld);
Status fail_result(WorkspaceImpl& w);
// Why a mass matrix at q could not be factored: q too large, or bodies without inertia.
Status fail_mass_matrix(WorkspaceImpl& w, const double* q);

// Results that are not those of joint coordinates (coordinates.hpp), checked, on their way to the user. user
// null: not wanted. A matrix of leading dimension ldx goes to one of ld.
[[nodiscard]] Status give_numbers(WorkspaceImpl& w, const double* x, int n, double* user);
[[nodiscard]] Status give_matrix(WorkspaceImpl& w, const double* x, int rows, int columns, int ldx,
                                 double* user, int ld);
// X (n x count, leading dimension ldx) := what fill(first, columns, to) puts at `to`, columns `first` and on,
// without a gap. Checked as a whole before anything is written; where it does not fit into the workspace it
// is computed twice.
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
    TENON_CHECK(check_result(w, w.stage.data(), n * columns));
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

// For what takes no rows between two moving links. who: what it is; instead: what does.
Status check_no_inter_body_rows(WorkspaceImpl& w, const char* who, const char* instead);

}  // namespace tenon
