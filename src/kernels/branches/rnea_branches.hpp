// rnea (kernels/tree/rnea.hpp) on branch lanes: its two sweeps over the trunk and the bundles.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
inline void add_rotor_forces(Bundle<P>& limbs, const Inputs<double>& in, double* tau) {
  WorkspaceData<P>& w = limbs.w;
  const int wobbling = limbs.model.wobbling_rotors;
  for (int r = 0; r < wobbling; ++r) w.rotor_angle[r] = gathered<P>(in.q, limbs.rotor_q_of + P::width * r);
  if (wobbling > 0) sin_cos(w.rotor_angle, w.rotor_sin, w.rotor_cos, wobbling);
  for (int r = 0; r < limbs.model.rotor_count; ++r) {
    const std::int32_t* places = limbs.rotor_v_of + P::width * r;
    const P rate = gathered<P>(in.v, places), acceleration = in.qdd ? gathered<P>(in.qdd, places) : P(0);
    scatter_lanes(add_rotor_force(limbs.model.rotors[r], r, rate, acceleration, w),
                  limbs.rotor_result_of + P::width * r, tau);
  }
}

template <class P>
void rnea_of_branches(Branches<P>& b, const Inputs<double>& in, double* tau) {
  gather_wrenches(in.wrenches, b.trunk);
  b.kernels->sweep_body_forces(b.trunk.model, inputs_of_trunk(b, in), b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    gather_state(in, limbs);
    if (in.qdd) gather(limbs, in.qdd, limbs.v_of, limbs.qdd);
    read_parents(limbs, &LimbParent::a, limbs.w.a);
    sweep_body_forces(limbs.model, inputs_of(limbs, in), limbs.w);
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    store(limbs.w.f, Force<P>{});
    add_rotor_forces(limbs, in, tau);
    sweep_joint_forces(limbs.model, inputs_of(limbs, in), limbs.tau, limbs.w);
    scatter(limbs, limbs.tau, tau);
    give_force(limbs, limbs.w.f, &LimbParent::f);
  }
  if (b.trunk.model.rotor_count > 0) b.kernels->add_rotor_forces(b.trunk.model, in, tau, b.trunk.w);
  b.kernels->sweep_joint_forces(b.trunk.model, in, tau, b.trunk.w);
}

TENON_ISA_END
}  // namespace tenon
