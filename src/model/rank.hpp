// Rank and scale of constraint rows: the one definition that every method, the reference, the Delassus
// products and the projections use. include/tenon.h states it for users (section 6).
//
// A row of J L^-T (M = L L^T) with the root of its compliance beside it has a length. It is measured in units
// of the larger of that length and the typical length of the row, the square root of ConstraintData::scale
// (model/row_scale.hpp): so metres, radians, kilograms and the size of the robot do not matter, and a
// row that hardly moves the robot is not blown up. Of the matrix of rows so scaled, singular values up to
// rank_tolerance times the largest (or times one, where all rows hardly move the robot) are zero: those rows
// depend on others, or nothing moves them.
//
// An error of size e in the accelerations of rows moves joints by e over the smallest singular value that
// counts. So a residual of 1e-11 may cost 1e-5 in the joints at the border, and nothing is gained by a
// smaller tolerance.
#pragma once

namespace tenon {

inline constexpr double rank_tolerance = 1e-6;
// Of squares: entries of the Delassus matrix, its eigenvalues.
inline constexpr double squared_rank_tolerance = rank_tolerance * rank_tolerance;

}  // namespace tenon
