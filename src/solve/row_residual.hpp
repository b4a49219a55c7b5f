// The size of row residuals. Each row has a unit, the acceleration that counts as one:
//
//   unit_r = min(S, s_r T),   S = max_j a_j,   T = max_j a_j / s_j,   s_r = sqrt(ConstraintData::scale)
//
// where a_j is the larger of the desired and the actual acceleration of row j. S is the unit that users
// expect. The second term treats rows that are hard to move as strictly as easy ones: relative to s_r a force
// has the same effect in all rows, so the motion error behind a residual does not depend on units of length
// or on masses.
#pragma once

#include "kernels/workspace_data.hpp"
#include "model/constraint_data.hpp"

namespace tenon {

// per_unit: 1 / unit of each row.
void measure_units(const ConstraintData& c, const double* acceleration, double* per_unit);
// For the right-hand sides and accelerations in a workspace; size: rows, scratch.
void measure_units(const ConstraintData& c, const WorkspaceData<double>& d, double* size, double* per_unit);

// The largest residual in its unit, after `absolute` is subtracted from each.
double size_in_units(const double* residual, const double* per_unit, double absolute, int rows);

}  // namespace tenon
