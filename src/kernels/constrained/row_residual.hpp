// The size of row residuals. Each row has a unit, the acceleration that counts as one:
//
//   unit_r = min(S, s_r T),   S = max_j a_j,   T = max_j a_j / s_j,   s_r = sqrt(ConstraintData::scale)
//
// where a_j is the larger of the desired and the actual acceleration of row j. S is the unit that users
// expect. The second term treats rows that are hard to move as strictly as easy ones: relative to s_r a force
// has the same effect in all rows, so the motion error behind a residual does not depend on units of length
// or on masses.
#pragma once

#include "data/constraint_data.hpp"
#include "data/workspace_data.hpp"
#include "spatial/ordered.hpp"

namespace tenon {

// 1 / S and 1 / T; by default units are one.
template <class T>
struct RowUnits {
  T per_largest = T(1), per_largest_by_force = T(0);
};

TENON_ISA_BEGIN

// acceleration(r): a_r.
template <class T, class Acceleration>
TENON_INLINE RowUnits<T> row_units(const RowTables<double>& c, const Acceleration& acceleration) {
  const T least(1e-30);  // where nothing accelerates
  T largest = least, largest_by_force = least;
  for (int r = 0; r < c.row_count; ++r) {
    const T a = magnitude_of(acceleration(r));
    largest = larger(largest, a);
    largest_by_force = larger(largest_by_force, a * T(c.per_root_scale[r]));
  }
  return {T(1) / largest, T(1) / largest_by_force};
}
// After a sweep that leaves k and Ka.
template <class T>
TENON_INLINE RowUnits<T> row_units(const RowTables<double>& c, const WorkspaceData<T>& w) {
  return row_units<T>(c, [&](int r) { return larger(magnitude_of(w.k[r]), magnitude_of(w.Ka[r])); });
}

// The residual after such a sweep.
template <class T, class Rows>
TENON_INLINE T row_residual(const Rows& c, int r, const T* lambda, const WorkspaceData<T>& w) {
  return w.k[r] - w.Ka[r] - T(c.compliance[r]) * lambda[r];
}

template <class T>
TENON_INLINE T one_over_unit(const RowUnits<T>& units, const RowTables<double>& c, int r) {
  return larger(units.per_largest, T(c.per_root_scale[r]) * units.per_largest_by_force);
}
// The residual of row r, less `absolute`, in its unit. What is no number is too large.
template <class T>
TENON_INLINE T size_in_unit(const RowUnits<T>& units, const RowTables<double>& c, int r, const T& residual,
                            const T& absolute) {
  const T too_large(1e30);
  const T size = (magnitude_of(residual) - absolute) * one_over_unit(units, c, r);
  return select(lanes_above(too_large, size), size, too_large);
}
// The largest of all rows; residual(r).
template <class T, class Residual>
TENON_INLINE T size_of_rows(const RowUnits<T>& units, const RowTables<double>& c, double absolute,
                            const Residual& residual) {
  T largest(0);
  for (int r = 0; r < c.row_count; ++r)
    largest = larger(size_in_unit(units, c, r, residual(r), T(absolute)), largest);
  return largest;
}

TENON_ISA_END
}  // namespace tenon
