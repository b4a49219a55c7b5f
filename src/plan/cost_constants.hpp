// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/studies/fit_costs.cpp, which
// says how it measures; bench/studies/README.md has the command. 2026-11-21, Intel(R) Xeon(R) Processor,
// g++ 12.2.0, 86 problems.
#pragma once

#include "plan/cost_model.hpp"

namespace tenon {

struct CostConstants {
  Method method;
  double nanoseconds[cost_term_count];
};

// clang-format off
inline constexpr CostConstants cost_constants[] = {
    // mean error 3.6 %, at most 35 %
    {Method::pv_early, {0, 68.6, 90.46, 133.3, 177.9, 4.027, 0, 0, 0, 60.78,
        0, 1.689, 0, 0, 0, 0, 0, 0, 0}},
    // mean error 2.2 %, at most 19 %
    {Method::constrained_aba, {0, 67.32, 98.45, 189.5, 323.7, 44.29, 43.12, 20.74, 0, 31.06,
        0, 0, 0, 0, 0, 0, 0, 0, 0}},
    // mean error 5.9 %, at most 84 %
    {Method::prox_pv, {60.47, 65.34, 115.8, 165.9, 333.8, 20.03, 13.74, 31.7, 0, 59.87,
        0.8057, 0, 0, 0.1115, 0, 0, 0, 0, 0.02769}},
    // mean error 6.8 %, at most 98 %
    {Method::prox_ltl, {216.5, 65.62, 123.9, 204.1, 365.8, 10.24, 0, 0, 0, 46.83,
        0, 0, 0, 0.1751, 0.03156, 0.5936, 0.03307, 0.8114, 0.01607}},
    // mean error 4.2 %, at most 11 %
    {Method::prox_ltls, {60.87, 74.8, 140.7, 265.2, 555.7, 31.24, 9.761, 0, 0, 26.3,
        0.1302, 0, 0, 0.09188, 0, 0.854, 0.03354, 0, 0}},
};
// clang-format on

}  // namespace tenon
