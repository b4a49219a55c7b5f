// Nanoseconds a term costs (CostTerm, in its order), by method. Written by bench/fit_costs, which says how it
// measures; bench/README.md has the command. 2026-11-21, Intel(R) Xeon(R) Processor,
// g++ 12.2.0, 86 problems.
#pragma once

#include "solvers/cost_model.hpp"

namespace tenon {

struct CostConstants {
  Method method;
  double nanoseconds[cost_term_count];
};

// clang-format off
inline constexpr CostConstants cost_constants[] = {
    // mean error 3.4 %, at most 34 %
    {Method::pv_early,
     {0, 68.03, 96.02, 134.2, 179, 4.966, 0, 0, 0,
      62.51, 0, 1.274, 3.791, 0, 0, 0, 0, 0,
      0}},
    // mean error 2.6 %, at most 19 %
    {Method::constrained_aba,
     {0, 66.55, 107.3, 193.4, 331.2, 44.35, 31.86, 16.91, 0,
      30.59, 0, 0, 0, 0, 0, 0, 0, 0,
      0}},
    // mean error 6.0 %, at most 85 %
    {Method::prox_pv,
     {73.01, 64.67, 104.6, 145.2, 350.9, 21.48, 33.93, 61.17, 0,
      70.94, 0.3542, 0, 0, 0.13, 0, 0, 0, 0,
      0.02789}},
    // mean error 7.6 %, at most 98 %
    {Method::prox_ltl,
     {347.1, 64.43, 84.73, 83.9, 447.5, 13.89, 34.92, 174.5, 0,
      43.33, 3.125, 0, 0, 0.3098, 0.02781, 0.2449, 0.09694, 0.1573,
      0.01269}},
    // mean error 4.8 %, at most 26 %
    {Method::prox_ltls,
     {222.2, 78.9, 139.6, 310.3, 561.1, 41.11, 10.79, 0, 0,
      15.49, 1.392, 0, 0, 0.0907, 0, 1.285, 0.07579, 0,
      0}},
};
// clang-format on

}  // namespace tenon
