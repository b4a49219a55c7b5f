// The inputs of one computation of dynamics, from the user's call to the kernels.
#pragma once

namespace tenon {

// T: double, or the number of a kernel. What a computation does not need is null. A call gets the user's numbers, and
// passes on a copy that points to the same in the coordinates of sweeps (state/coordinates.hpp).
template <class T>
struct Inputs {
  const T* q = nullptr;    // positions
  const T* v = nullptr;    // velocities
  const T* tau = nullptr;  // forces on the joints, of forward dynamics
  const T* wrenches =
      nullptr;  // external forces, null: none; of links in link axes, for sweeps of bodies in body frames
  const T* desired = nullptr;  // accelerations of constraint rows in the user's order; null: zero
  const T* qdd = nullptr;      // accelerations, of inverse dynamics; null: zero
};

}  // namespace tenon
