// aba (kernels/tree/aba.hpp) on branch lanes: its three sweeps over the trunk and the bundles.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Outward: velocities and bias forces.
template <class P>
inline void sweep_branch_velocities(Branches<P>& b, const Inputs<double>& in) {
  gather_wrenches(in.wrenches, b.trunk);
  gather_rotors(b, b.trunk);
  b.kernels->sweep_velocities(b.trunk.model, inputs_of_trunk(b, in), false, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    gather_state(in, limbs);
    gather_rotors(b, limbs);
    gather_loops(b, limbs);
    clear_collecting(limbs);
    store(limbs.w.pA, Force<P>{});  // gyroscopic moments of rotors on the parents
    sweep_velocities(limbs.model, inputs_of(limbs, in), false, limbs.w);
  }
}

// Articulated inertias and bias forces of a bundle without rows, those of its parents left at node 0.
template <class P>
inline bool eliminate_free_limbs(Bundle<P>& limbs, const Inputs<P>& in) {
  const bool positive = with_loops<P>(limbs.model, [&](auto loops) {
    return sweep_articulated_inertia_of<loops.value>(limbs.model, in, limbs.w);
  });
  add_wobble_of_parents(limbs);
  return positive;
}

// The inward sweep of all bundles, sweep(limbs, inputs, loops) in each. apart: those without loops have code of their own.
template <bool apart, class P, class Sweep>
inline bool sweep_limbs_inwards(Branches<P>& b, const Inputs<double>& in, const Sweep& sweep) {
  bool positive = true;
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, in.tau, limbs.v_of, limbs.tau);
    positive = with_loops<P, apart>(limbs.model,
                                    [&](auto loops) { return sweep(limbs, inputs_of(limbs, in), loops); }) &&
               positive;
    add_wobble_of_parents(limbs);
    give_inertia(limbs);
    give_force(limbs, limbs.w.pA, &LimbParent::pA);
  }
  return positive;
}

// The other two sweeps.
template <class P>
inline bool accelerate_branches(Branches<P>& b, const Inputs<double>& in, double* qdd) {
  bool positive = sweep_limbs_inwards<true>(
      b, in, [](Bundle<P>& limbs, const Inputs<P>& own, auto loops) TENON_INLINE_LAMBDA {
        return sweep_articulated_inertia_of<loops.value>(limbs.model, own, limbs.w);
      });
  positive = b.kernels->sweep_articulated_inertia(b.trunk.model, in, b.trunk.w) && positive;
  if (!positive) return false;
  b.kernels->sweep_accelerations(b.trunk.model, in, qdd, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    read_parents(limbs, &LimbParent::a, limbs.w.a);
    with_loops<P, true>(limbs.model, [&](auto loops) {
      sweep_accelerations_of<loops.value>(limbs.model, inputs_of(limbs, in), limbs.qdd, limbs.w);
    });
    scatter(limbs, limbs.qdd, qdd);
  }
  return true;
}

template <class P>
bool aba_of_branches(Branches<P>& b, const Inputs<double>& in, double* qdd) {
  sweep_branch_velocities(b, in);
  return accelerate_branches(b, in, qdd);
}

TENON_ISA_END
}  // namespace tenon
