// Rank, scale and contradiction of constraint rows: the one definition for all methods, the tests' reference, the Delassus
// products and the projections, with the thresholds that they share. What the proximal iteration may decide from its own
// progress stands in solve/proximal.cpp. include/tenon.h states the definition for users.
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

#include <limits>

namespace tenon {

inline constexpr double rank_tolerance = 1e-6;
// For squares: entries and eigenvalues of the Delassus matrix.
inline constexpr double squared_rank_tolerance = rank_tolerance * rank_tolerance;
// Scaled rows shorter than this, and smaller singular values, are rounding errors.
inline constexpr double rank_rounding = 1e-13;

// Rows contradict each other if the part of their right-hand side that no force can reach is larger than its rounding
// error: this share of the accelerations that it is made of. For numbers of another precision: times their epsilon.
inline constexpr double contradiction_epsilons = 1000;
inline constexpr double contradiction_rounding =
    contradiction_epsilons * std::numeric_limits<double>::epsilon();
// The same for inverse dynamics with coordinates without motor, whose force is a sum: this share of its terms.
inline constexpr double missing_force_rounding = 1e-9;

// Methods without a factor of all rows decide clear cases only, and `dense` the others, so that all methods answer with
// the same rank. Smallest eigenvalue of the scaled Delassus matrix that they may decide on:
inline constexpr double sure_eigenvalue = 1e-10;
// For the inverse of the Delassus matrix by its Cholesky factor: the same, which leaves nine digits.
inline constexpr double sure_pivot_of_inverse = 1e-7;
// For a factor of L: the smallest pivot over its diagonal. L is summed to about 1e-14 of its entries.
inline constexpr double sure_pivot = 1e-10;
// The first evaluation, from zero multipliers, gives each direction its force except for the share 1 / (1 +
// mu s), s its eigenvalue: if forces have since grown by more than 1 / (mu s), smaller eigenvalues are involved.
constexpr double most_growth(double mu) {
  return 1 + 1 / (mu * sure_eigenvalue);
}
// Dynamics with loops by multipliers take a remainder for a contradiction above this share of the accelerations.
inline constexpr double sure_contradiction = 1e-6;
// Where X_rr of the damped inverse X is above this share of 1 / E_rr, the Delassus matrix adds too little to E: hardly
// anything moves row r.
inline constexpr double unmoved_share = 0.03;

// Below this (ConstraintData::least_leverage) penalties are so much larger than inertias that their rounding
// errors move joints that the row does not, which no residual shows.
inline constexpr double least_leverage = 1e-3;
// Damping of the Delassus matrix below this share of a row's diagonal decides between rows that depend on each other,
// where methods differ. Packs of states leave it to single calls, which choose one.
inline constexpr double least_row_damping = 1e-8;

}  // namespace tenon
