// Torques on joints that follow from their motion: friction, and the springs of a controller.
#pragma once

#include <cstdint>

#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Against the velocity: damping v + dry sign(v).
TENON_INLINE double friction_force(double damping, double dry, double v) {
  return damping * v + (v > 0 ? dry : v < 0 ? -dry : 0);
}
#ifdef TENON_PACKS
template <class N, int W>
TENON_INLINE Pack<N, W> friction_force(const Pack<N, W>& damping, const Pack<N, W>& dry,
                                       const Pack<N, W>& v) {
  const Pack<N, W> zero(0);
  return damping * v +
         select<N, W>(lanes_above(v, zero), dry, select<N, W>(lanes_above(zero, v), -dry, zero));
}
#endif

// out := tau + sign times the friction of n joints.
template <class T>
void apply_friction(const T* tau, double sign, const T* damping, const T* dry, const T* v, int n, T* out) {
  for (int i = 0; i < n; ++i) out[i] = tau[i] + T(sign) * friction_force(damping[i], dry[i], v[i]);
}

// The numbers of a controller. position_of: of each velocity coordinate; -1 where a joint has several coordinates, which
// have no stiffness.
template <class T>
struct JointSprings {
  const std::int32_t* position_of;
  const T *stiffness, *damping, *q_target, *v_target, *q, *v;
};
// tau := tau + stiffness (q_target - q) + damping (v_target - v), of n velocity coordinates.
template <class T>
void apply_springs(const JointSprings<T>& x, int n, T* tau) {
  for (int k = 0; k < n; ++k) {
    T force = x.damping[k] * (x.v_target[k] - x.v[k]);
    const int place = x.position_of[k];
    if (place >= 0) force = force + x.stiffness[k] * (x.q_target[place] - x.q[place]);
    tau[k] = tau[k] + force;
  }
}

TENON_ISA_END
}  // namespace tenon
