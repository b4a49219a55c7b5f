// rnea (kernels/tree/rnea.hpp) on branch lanes: its two sweeps over the trunk and the bundles.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
inline void add_rotor_forces(Bundle<P>& limbs, const double* q, const double* v, const double* qdd,
                             double* tau) {
  WorkspaceData<P>& w = limbs.w;
  const int wobbling = limbs.model.wobbling_rotors;
  for (int r = 0; r < wobbling; ++r) w.rotor_angle[r] = gathered<P>(q, limbs.rotor_q_of + P::width * r);
  if (wobbling > 0) sin_cos(w.rotor_angle, w.rotor_sin, w.rotor_cos, wobbling);
  for (int r = 0; r < limbs.model.rotor_count; ++r) {
    const std::int32_t* places = limbs.rotor_v_of + P::width * r;
    const P rate = gathered<P>(v, places), acceleration = qdd ? gathered<P>(qdd, places) : P(0);
    scatter_lanes(add_rotor_force(limbs.model.rotors[r], r, rate, acceleration, w),
                  limbs.rotor_result_of + P::width * r, tau);
  }
}

template <class P>
void rnea_of_branches(Branches<P>& b, const double* q, const double* v, const double* qdd,
                      const double* wrenches, double* tau) {
  const bool has_wrenches = wrenches != nullptr;
  if (has_wrenches) gather_wrenches(b, wrenches);
  b.kernels->sweep_body_forces(b.trunk, q, v, qdd, has_wrenches, b.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, q, limbs.q_of, limbs.q);
    gather(limbs, v, limbs.v_of, limbs.v);
    if (qdd) gather(limbs, qdd, limbs.v_of, limbs.force);
    read_parents(limbs, &LimbParent::v, limbs.w.v);
    read_parents(limbs, &LimbParent::a, limbs.w.a);
    sweep_body_forces(limbs.model, limbs.q, limbs.v, qdd ? limbs.force : nullptr, has_wrenches, limbs.w);
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    store(limbs.w.f, Force<P>{});
    add_rotor_forces(limbs, q, v, qdd, tau);
    sweep_joint_forces(limbs.model, qdd ? limbs.force : nullptr, limbs.result, limbs.w);
    scatter(limbs, tau);
    give_force(limbs, limbs.w.f, &LimbParent::f);
  }
  if (b.trunk.rotor_count > 0) b.kernels->add_rotor_forces(b.trunk, q, v, qdd, tau, b.w);
  b.kernels->sweep_joint_forces(b.trunk, qdd, tau, b.w);
}

TENON_ISA_END
}  // namespace tenon
