// Rank and scale of constraint rows: the one definition for all methods, the reference, the Delassus products
// and the projections. include/tenon.h states it for users.
//
// A row of [J L^-T, sqrt(R)] (M = L L^T, compliance R) has a length. It is divided by the larger of that
// length and the typical length of the row, the square root of ConstraintData::scale (model/row_scale.hpp).
// So units and the size of the robot do not matter, and a row that hardly moves the robot is not magnified.
// Singular values of the matrix of scaled rows count as zero up to rank_tolerance times the largest one
// (times 1, where all rows hardly move the robot): their rows are redundant, or nothing moves them.
//
// An error e in the accelerations of rows moves joints by e divided by the smallest nonzero singular value: a
// residual of 1e-11 can mean 1e-5 in the joints at this limit, so a smaller tolerance would gain nothing.
#pragma once

namespace tenon {

inline constexpr double rank_tolerance = 1e-6;
// For squares: entries and eigenvalues of the Delassus matrix.
inline constexpr double squared_rank_tolerance = rank_tolerance * rank_tolerance;

}  // namespace tenon
