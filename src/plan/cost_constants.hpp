// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/studies/fit_costs.cpp, which
// says how it measures; bench/studies/README.md has the command. 2026-11-22, AMD EPYC,
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
    // mean error 4.9 %, at most 29 %
    {Method::pv_early, {141.5, 64.1, 116.8, 168, 139.6, 8.87, 10.21, 0, 0, 78.19,
        0, 0, 28.13, 0, 0, 0, 0, 0, 0}},
    // mean error 4.3 %, at most 20 %
    {Method::constrained_aba, {169.6, 62.68, 66.27, 139, 290.2, 38.12, 96.15, 97.46, 0, 42.72,
        0, 0, 0, 0, 0, 0, 0, 0, 0}},
    // mean error 5.0 %, at most 26 %
    {Method::prox_pv, {284.3, 55.46, 81.44, 117.7, 268, 20.61, 67.55, 112, 0, 82.4,
        0.3566, 0, 0, 0.0977, 0, 0, 0, 0, 0.02017}},
    // mean error 6.6 %, at most 28 %
    {Method::prox_ltl, {407.2, 51.34, 114.9, 164.1, 243, 2.423, 0, 23.85, 0, 71.97,
        0, 0, 0, 0.1347, 0.0159, 1.196, 0.01837, 0, 0.02537}},
    // mean error 7.1 %, at most 25 %
    {Method::prox_ltls, {362.1, 79.43, 153.1, 301.4, 479.5, 15.07, 0, 0, 0, 38.63,
        0, 0, 0, 0.09269, 0, 0.8306, 0.02236, 0, 0}},
};
// clang-format on

}  // namespace tenon
