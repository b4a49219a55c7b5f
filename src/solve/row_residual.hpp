// How large the residuals of rows are. Each row has a unit, the acceleration that counts as one:
//
//   unit_r = min(S, s_r T),   S = max_j a_j,   T = max_j a_j / s_j,   s_r = sqrt(ConstraintData::scale)
//
// with a_j the acceleration that row j asks for or sees. S is what users expect. The second term keeps a row
// that is hard to move from hiding behind one that is easy: in s_r a force counts alike in all rows, so the
// motion that a residual stands for does not depend on units of length or on masses.
#pragma once

#include "model/constraint_data.hpp"

namespace tenon {

void measure_units(const ConstraintData& c, const double* acceleration, double* unit);

// The largest residual in its unit, after `absolute` is taken off each.
double size_in_units(const double* residual, const double* unit, double absolute, int rows);

}  // namespace tenon
