// Loops in kernels whose scalar is a pack.
#pragma once

#include "kernels/cluster/cluster.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Models with loops or folded rotors are computed in double precision.
template <class N, int W>
inline constexpr bool takes_loops<Pack<N, W>> = sizeof(N) == sizeof(double);
// Their numbers are wide enough to hide the counting, and the code is large.
template <class N, int W>
inline constexpr bool counts_coordinates<Pack<N, W>> = false;

TENON_ISA_END
}  // namespace tenon
