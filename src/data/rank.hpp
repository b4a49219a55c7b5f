// Everything that decides about constraint rows: rank and contradiction, rows that hardly move the robot, and pivots that
// lose digits. The one definition for all methods, the tests' reference, the Delassus products and the projections, with
// every threshold and its reason. include/tenon.h states the definition for users. What is chosen because it is faster:
// plan/choice/what_automatic_takes.hpp.
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

// ---- rank

inline constexpr double rank_tolerance = 1e-6;
// For squares: entries and eigenvalues of the Delassus matrix.
inline constexpr double squared_rank_tolerance = rank_tolerance * rank_tolerance;
// Scaled rows shorter than this, and smaller singular values, are rounding errors.
inline constexpr double rank_rounding = 1e-13;

// Methods without a factor of all rows decide clear cases only, and `dense` the others, so that all methods answer with
// the same rank. Smallest eigenvalue of the scaled Delassus matrix that they may decide on:
inline constexpr double sure_eigenvalue = 1e-10;
// For the inverse of the Delassus matrix by its Cholesky factor: the same, which leaves nine digits.
inline constexpr double sure_pivot_of_inverse = 1e-7;
// For derivatives, which solve for many right-hand sides without refinement: leaves twelve digits of doubles, and four of
// floats in packs. Else `dense` solves. N: the number.
template <class N>
inline constexpr double sure_pivot_of_derivatives = sizeof(N) == sizeof(double) ? 1e-4 : 1e-3;
// Derivatives of packs solve by such a factor too, and refine: by pivots above the first, over the usual diagonal of the row,
// and where the correction is below the second share of the largest number. What the correction leaves is no larger. N: the
// number.
template <class N>
inline constexpr double least_pivot_of_rows = sizeof(N) == sizeof(double) ? 1e-6 : 1e-3;
template <class N>
inline constexpr double most_correction_of_rows = sizeof(N) == sizeof(double) ? 1e-10 : 1e-3;
// For a factor of L: the smallest pivot over its diagonal. L is summed to about 1e-14 of its entries.
inline constexpr double sure_pivot = 1e-10;
// Diagonal of L over its typical size, below which its row counts as one that nothing moves.
inline constexpr double unmoved_diagonal = 1e-6;
// The first evaluation, from zero multipliers, gives each direction its force except for the share 1 / (1 +
// mu s), s its eigenvalue: if forces have since grown by more than 1 / (mu s), smaller eigenvalues are involved.
constexpr double most_growth(double mu) {
  return 1 + 1 / (mu * sure_eigenvalue);
}
// A step whose image is smaller than this share of the step lies in the null space up to rounding errors. The
// share is mu times an eigenvalue of the Delassus matrix with rows scaled to a typical diagonal of one, so
// the limit for null eigenvalues is squared_rank_tolerance times mu, between these.
inline constexpr double least_image = 1e-8, most_image = 1e-3;

// Derivatives: dependent rows become independent along a motion that changes what is zero of them by more than this share
// of its terms. Where rows depend on each other at all configurations, rounding is left.
inline constexpr double rank_change = 1e-7;

// ---- contradiction

// Rows contradict each other if the part of their right-hand side that no force can reach is larger than its rounding
// error: this share of the accelerations that it is made of. For numbers of another precision: times their epsilon.
inline constexpr double contradiction_epsilons = 1000;
inline constexpr double contradiction_rounding =
    contradiction_epsilons * std::numeric_limits<double>::epsilon();
// The same for inverse dynamics with coordinates without motor, whose force is a sum: this share of its terms.
inline constexpr double missing_force_rounding = 1e-9;
// Dynamics with loops by multipliers take a remainder for a contradiction above this share of the accelerations.
inline constexpr double sure_contradiction = 1e-6;
// A residual of an iteration is out of reach when one more step would remove less than this share of it. Below
// residual_rounding, relative to the accelerations, it may be rounding errors; above, rows contradict each other.
inline constexpr double out_of_reach = 1e-7, residual_rounding = 1e-9;
// Of the accelerations of a row that pv and prox_pv evaluate: rounding errors, whatever the tolerance.
inline constexpr double acceleration_rounding = 1e-13;

// ---- rows that hardly move the robot

// Below this (ConstraintData::least_leverage) penalties are so much larger than inertias that their rounding
// errors move joints that the row does not, which no residual shows.
inline constexpr double least_leverage = 1e-3;
// Damping of the Delassus matrix below this share of a row's diagonal decides between rows that depend on each other,
// where methods differ. Packs of states leave it to single calls, which choose one.
inline constexpr double least_row_damping = 1e-8;
// caba_osimf: rows that stand for this many times the typical inertia that they feel may be redundant,
inline constexpr double much_inertia = 1e3;
// and where X_rr of the damped inverse X is above this share of 1 / E_rr, the Delassus matrix adds too little to E: hardly
// anything moves row r.
inline constexpr double unmoved_share = 0.03;
// Rows, taken as inertias, of this many times what they feel leave no digits of the bodies' own.
inline constexpr double most_inertia = 1e10;

// ---- pivots and inertias that lose digits

// Pivot over diagonal of a cluster's joint-space inertia, penalties included (plan/cluster_pivot.hpp): below the first, one
// refinement does not recover the digits that penalties cost the inertia, below the second two do not either.
inline constexpr double refine_again = 1e-6, lost_cluster_pivot = 1e-11;

// pv_early: smallest pivots that are taken, over the usual diagonal of the row. Where rows may go on: K^T L^-1 K is added to
// an inertia, whose last digits it hides: an error of about 1e-14 over the pivot follows. At the world nothing is added, but
// L has the square of the condition of the rows.
inline constexpr double early_pivot = 1e-4, early_pivot_at_world = 1e-5;
// The same in seven digits, everywhere: an error of 1e-7 over the pivot follows, and refinement leaves its square.
inline constexpr double refined_pivot = 1e-5;
// A row depends on the eliminated ones if they leave less of its L over the usual diagonal, and of its K: both far below
// squared_rank_tolerance, so that all methods agree. What is between is left over.
inline constexpr double early_dependent = 1e-13, early_dependent_K = 1e-20;
// Most articulated inertia of an inner joint with rows, over what its body alone has there. Rounding errors of the sum,
// about 1e-16 of it, are then 1e-10 of the terms of the joint's own equation of motion; beyond, rows are left over. Joints
// of clusters have a test of their own, above. This guards the motion, with the limits of pivots: 148,000 answers of the
// campaign's search, each judged joint by joint in long double, were off by 4e-11 at most, and by no more where rows add
// more. A residual measured here would tell less: it has rounding errors as large, where a joint rests.
inline constexpr double hidden_share = 1e6;

// caba_osimf: what is left of the inertia of a link along a direction, below which it has none there.
inline constexpr double massless_direction = 1e-12;

// kernels/constrained/row_factor.hpp: the squared length of what is left of a column is summed again from its numbers below this share.
inline constexpr double recomputed_share = 1e-6;

// ---- rows of loops that clusters embed (plan/compile/loop_analysis.cpp)

// Relative to the largest entry of K of geometric loops: below this no joint moves a row. Axes meant to be
// parallel are so to six digits.
inline constexpr double unmoved_loop_row = 1e-6;
// Pivots relative to the largest column: of a good dependent coordinate, and of one that counts towards the rank.
inline constexpr double good_loop_pivot = 1e-4, least_loop_pivot = 1e-7;
// Residual of a row under independent velocities, relative to its largest entry. A lost row leaves all of it;
// a row that follows from others, rounding errors of the split.
inline constexpr double lost_loop_row = 1e-4;
// The split of loop constraints into dependent and independent coordinates: a pivot below this share of the largest
// entry means that the independent coordinates do not determine the dependent ones in double precision. G grows as the
// inverse of the pivot, and G^T M G as its square: at a pivot of 2^-26, the root of the machine's epsilon 2^-52, the mass
// matrix loses all digits and can look indefinite. Good independent coordinates stay above 1e-3 nearly everywhere.
inline constexpr double singular_split = 0x1p-26;

}  // namespace tenon
