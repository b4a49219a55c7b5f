// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/studies/fit_costs.cpp, which
// says how it measures; bench/studies/README.md has the command. 2026-11-23, AMD EPYC,
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
    // mean error 13.0 %, at most 39 %
    {Method::pv_early, {116.1, 79.36, 92.95, 175, 441.6, 9.265, 0, 0, 0, 75.7,
        0, 12.61, 0, 158.6, 0, 0, 0, 0, 0, 0}},
    // mean error 11.4 %, at most 30 %
    {Method::constrained_aba, {430, 86.53, 139.2, 232.7, 575.1, 63.06, 0, 0, 0, 63.54,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    // mean error 11.4 %, at most 28 %
    {Method::prox_pv, {411.7, 74.98, 121.4, 211.2, 726.4, 48.39, 0, 0, 0, 148,
        0, 0, 0, 0, 0.1083, 0, 0, 0, 0, 0.02643}},
    // mean error 11.7 %, at most 35 %
    {Method::prox_ltl, {687.8, 75.53, 90.4, 165.3, 889.1, 37.58, 0, 0, 0, 83.18,
        0, 0, 0, 0, 0.3373, 0, 1.775, 0.02391, 0.3436, 0.01649}},
    // mean error 11.2 %, at most 33 %
    {Method::prox_ltls, {595.5, 116.3, 147.3, 330.1, 1331, 60.21, 0, 0, 0, 60.51,
        0, 0, 0, 0, 0.1073, 0, 1.433, 0.02612, 0, 0}},
};
// clang-format on

}  // namespace tenon
