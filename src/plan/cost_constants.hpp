// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/studies/fit_costs.cpp, which
// says how it measures; bench/studies/README.md has the command. 2026-11-24, AMD EPYC,
// clang 19.1.7 (3~deb12u1), 86 problems.
#pragma once

#include "plan/cost_model.hpp"

namespace tenon {

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

}  // namespace tenon
