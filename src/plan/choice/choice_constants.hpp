// The constants of all choices in what_automatic_takes.hpp. What they were measured on stands beside them; another machine
// has other nanoseconds, but about the same ratios.
#pragma once

#include <cstddef>

#include "plan/choice/cost_model.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// ---- fitted

// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/studies/fit_costs.cpp, which
// says how it measures; bench/studies/README.md has the command. 2026-11-24, AMD EPYC,
// clang 19.1.7 (3~deb12u1), 86 problems.
struct CostConstants {
  Method method;
  double nanoseconds[cost_term_count];
};

// clang-format off
inline constexpr CostConstants cost_constants[] = {
    // mean error 4.6 %, at most 31 %
    {Method::pv_early, {0, 65.64, 112.8, 196.9, 241.8, 17.61, 0, 0, 0, 57.37,
        0, 0, 9.745, 98.3, 0, 0, 0, 0, 0, 0}},
    // mean error 2.3 %, at most 16 %
    {Method::constrained_aba, {132.9, 63.04, 134.5, 208.5, 260.5, 38.97, 0, 0.4732, 0, 45.64,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    // mean error 3.6 %, at most 25 %
    {Method::prox_pv, {275.9, 61.01, 113, 163.9, 304.2, 24.91, 19.57, 51.01, 0, 87.15,
        1.45, 0, 0, 0, 0.09907, 0, 0, 0, 0, 0.02199}},
    // mean error 4.1 %, at most 33 %
    {Method::prox_ltl, {345.7, 67.96, 115.6, 207.6, 399.8, 7.993, 0, 0, 0, 71.66,
        0, 0, 0, 0, 0.1527, 0.03421, 0.5277, 0.02585, 0.4686, 0.02002}},
    // mean error 4.5 %, at most 26 %
    {Method::prox_ltls, {281, 97.7, 167.7, 335.7, 666.8, 26.4, 0, 0, 0, 43.7,
        0, 0, 0, 0, 0.1034, 0, 0.476, 0.02798, 0, 0}},
};
// clang-format on

// ---- measured one by one: fit_costs leaves what follows as it is

// By which limbs side by side make the rows of pv_early faster, and the share of its sweeps that is done when limbs turn
// out to need pivoting: of binary trees, solo12 and atlas with hands by fit_costs --check.
namespace early_limbs {
inline constexpr double rows_gain = 1.3, in_vain = 0.6;
// Shares of configurations (BranchLanes::early_chance) in which that must not be.
inline constexpr double least_chance = 0.5;
}  // namespace early_limbs

// Products of a dense solve for each coordinate, above which the sweeps of constrained_aba come first; measured by
// bench/studies/scaling.
inline constexpr double dense_products_of_a_sweep = 3000;

// Coordinates of a part of a run, at least, where M^-1 by the factor of paths takes less time than by unit columns. With
// those of 5.0 and 6.7 (chains of 10 and 20 joints) and 5.1 (atlas) matrices of forward dynamics took 0.9 of the time, of 4.4
// (atlas with hands) 1.0 and of constrained dynamics 0.9; of 2.6 (talos_full_v2) and 3.0 (a binary tree of 45 joints) 1.1.
inline constexpr double least_coordinates_of_a_part = 3.5;
// How many multiply-adds of columns that are solved take as long as one of products with responses. By products
// forward dynamics of chains of 20 and 50 joints took 0.86 and 1.04 of the time, which is 0.7 and 1.6 by this measure.
inline constexpr double response_gain = 1.3;

// Numbers of the mass matrix that a workspace makes for method dense in advance: a megabyte, a chain of 500 joints.
inline constexpr std::size_t most_entries_in_advance = 131072;

// pv, prox_pv: products saved, as differences of cubes of row counts. Two legs of six rows (1296) lose 0.4 us of 3.4 by the
// split; two legs and two arms with ten fingers (46656) gain 0.9 of 15.
inline constexpr double least_products_saved_by_split = 20000;

// pv_early: on a long path rows are eliminated after so many coordinates, if so many bodies are left: what a row costs at
// each joint is saved there.
inline constexpr int most_coordinates_of_segment = 8, least_bodies_of_segment = 6;

// pv_early on packs: evaluations of constrained_aba for each pack, from which on it is tried first, and the share of
// states that it must answer; evaluations of the others are not saved. In floats, with its refinement, it takes the time
// of 2.5 to 3.5 evaluations: of the robots of bench/dynamics Panda took 0.45 of the time without it, Atlas 0.60, Go1
// 0.76, and a tree of 21 links with two of ten states unanswered 1.03.
namespace early_packs {
inline constexpr double least_evaluations = 2.5, least_evaluations_in_floats = 2.9;
inline constexpr double least_answered_in_floats = 0.8;
}  // namespace early_packs

// Costs of aba relative to a body alone with one degree of freedom: a bundle's body, what goes between a bundle
// and its parents, a joint of several degrees of freedom. Go1 and Atlas on an AMD EPYC give 1.0, 2.2, 1.5 with
// AVX-512 and 1.4, 1.8, 1.5 with AVX2 (g++ 12 and clang 14 alike); these lie between.
namespace limb_cost {
inline constexpr double bundle_body = 1.2, bundle_ends = 2, several_dofs = 1.5;
// A body of a cluster; a folded rotor, alone or of all limbs.
inline constexpr double in_cluster = 1.6, rotor = 0.1;
// Below this gain the scalar sweeps are kept.
inline constexpr double least_gain = 1.1;
// The same of products with derivatives of inverse dynamics, and of dynamics with rows, where bodies alone have lanes of
// bodies, or a sparse factor: go1 (gain 1.8) takes 0.6 and, on four feet, 0.8 of the time, atlas (1.2) 1.05 and, on two, 1.35.
// Those of forward dynamics pay wherever limbs do.
inline constexpr double least_gain_of_products = 1.5;
// Matrices of derivatives of a star, with more limbs a bundle than this and none longer, take of the time of those of bodies
// (inverse, forward dynamics): 4 limbs of 3 joints 0.64, 0.60; of 12 0.82, 0.72; of 20 0.89, 0.89; 3 of 3 0.77, 0.85; 6 of 3
// 0.90, 0.83; 8 of 4 0.98, 0.65; but 2 of 6 1.12, 1.15 and 5 of 4 1.48, 1.44.
inline constexpr double least_limbs_of_matrices = 2.5;
inline constexpr std::size_t most_bodies_of_matrices = 12;
}  // namespace limb_cost

// Instructions of pv_osimr on limbs, relative to the articulated inertia of a body alone (360): a bundle's body, and copies
// of the joint of one limb's body; rows of a bundle, and of each of them at each joint; the same of a body's rows, which go
// in packs of four. Of go1 and atlas with points and welds on one to four limbs these give the savings, 1,800 instructions
// lost to 5,700 saved, to 300.
namespace limb_osimr_cost {
inline constexpr double bundle_body = 1.6, copy = 0.21;
inline constexpr double bundle_rows = 3, bundle_row = 0.285, body_rows = 1.75, body_pack = 0.39;
}  // namespace limb_osimr_cost

// Costs of crba relative to a body of the scalar sweep, which takes four bodies at a time: a bundle's body, and what
// comes once for a bundle and for a call. On an AMD EPYC with AVX-512, g++ 12, floating bodies with two to eight
// limbs of two to six joints and the quadrupeds of models/ give gains within 0.1 of these, or 0.3 with eight limbs.
namespace limb_mass_cost {
inline constexpr double bundle_body = 2, bundle_ends = 0.3, call = 0.4;
}

// Nanoseconds by which pv_osimr and caba_osimf differ on 25 robots of bench/dynamics, the mean of the inverse and of a
// product (AMD EPYC, clang 19): what caba_osimf costs more, and what pv_osimr does, which goes over the bodies
// twice and inverts the matrix.
namespace delassus_cost {
inline constexpr double both = 130, inner_link = 200, body_inertia = 17;
inline constexpr double body = 2.7, pair = 0.1, inversion = 0.014;
}  // namespace delassus_cost

// Rows of one link that are carried inward: more would cost more than the six coordinates of the link, and kernels have
// no room for them.
inline constexpr std::int32_t most_rows_carried = 6;

// Costs in operations, about as `tenon count` counts them, of what pv_osimr propagates.
namespace propagation_cost {
inline constexpr double row_dof = 36, coordinates_dof = 278;  // across a joint, for each of its dofs
inline constexpr double root_row_dof = 6,
                        root_coordinates_dof = 26;  // the same at the root, where propagation ends
inline constexpr double unit_rows = 300;   // saved by coordinates at the start: rows of the unit matrix
inline constexpr double product = 66;      // of a row with a 6 x 6 matrix
inline constexpr double own_product = 33;  // the same where the row is the constraint's own, with few entries
inline constexpr double sandwich = 650;    // P Omega P^T, symmetric
inline constexpr double pair = 11;         // of two rows with six numbers each
inline constexpr double pair_dof = 2;      // of two rows that are propagated
}  // namespace propagation_cost

// Nanoseconds beyond those of the tree, for one state, fitted to linkages and rings of 3 to 40 links (models/ and chains
// closed to the base, x86-64 with AVX2):
//
//   a cluster of n bodies, y independent and d dependent coordinates    55 n + 5 n y + 0.4 n y^2
//                                                                       + 0.4 d^2 (d + y + 1)
//   m rows of all loops, m_l of each with n_l bodies on its two paths   100 + sum (110 + 10 m_l n_l) + 5 m^2
//                                                                       + 0.6 m^3
namespace loop_cost {
inline constexpr double cluster_body = 55, cluster_body_y = 5, cluster_body_yy = 0.4, cluster_split = 0.4;
inline constexpr double call = 100, loop = 110, row_body = 10, rows_squared = 5, rows_cubed = 0.6;
}  // namespace loop_cost

}  // namespace tenon
