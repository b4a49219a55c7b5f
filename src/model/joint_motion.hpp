// The velocity between two positions of a joint: the inverse of kernels/joint/integrate.hpp.
#pragma once

#include <cstdint>

namespace tenon {

// v := the velocity that takes q0 to q1 in unit time; a planar joint by the shortest turn.
void joint_difference(std::int32_t kind, const double* q0, const double* q1, double* v);

// Normalizes a quaternion with components of any size, without overflow and underflow; false for zero.
bool scale_to_unit(double* q);

}  // namespace tenon
