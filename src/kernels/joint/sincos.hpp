// Sines and cosines of contiguous angles, in packs of the instruction set. In its own translation unit: xsimd
// reads the sign of zero, which the compiler flags of the other kernels do not preserve (src/CMakeLists.txt).
#pragma once

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

// count is rounded up to whole packs of 16; the arrays must have room.
void sin_cos(const double* angle, double* sine, double* cosine, int count);

TENON_ISA_END
}  // namespace tenon
