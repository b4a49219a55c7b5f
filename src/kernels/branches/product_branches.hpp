// Products with the derivatives of dynamics of trees (kernels/tree/product_sweeps.hpp), and M^-1 times a vector after aba, on
// branch lanes: of joints alone, without clusters and rotors.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/tree/product_sweeps.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
TENON_INLINE void gather_given(Bundle<P>& limbs, const TreeProduct<double>& x) {
  const double* const from[3] = {x.q, x.v, x.x};
  for (int i = 0; i < 3; ++i)
    if (from[i]) gather(limbs, from[i], limbs.v_of, limbs.given[i]);
}
template <class P>
TENON_INLINE TreeProduct<P> product_of(const Bundle<P>& limbs, const TreeProduct<double>& x) {
  return {x.q ? limbs.given[0] : nullptr,
          x.v ? limbs.given[1] : nullptr,
          x.x ? limbs.given[2] : nullptr,
          limbs.found[0],
          limbs.found[1],
          x.by_x ? limbs.found[2] : nullptr};
}
template <class P>
TENON_INLINE void scatter_found(const Bundle<P>& limbs, const TreeProduct<double>& x) {
  double* const to[3] = {x.by_q, x.by_v, x.by_x};
  for (int i = 0; i < 3; ++i)
    if (to[i]) scatter(limbs, limbs.found[i], to[i]);
}

// x := M^-1 x.
template <class P>
void inverse_mass_times_of_branches(Branches<P>& b, double* x) {
  for_all_parts(b, [](auto& part) {
    for (int e = 0; e < 6 * part.model.node_count; ++e) part.products.force[e] = {};
  });
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, x, limbs.v_of, limbs.given[2]);
    for (int i = limbs.model.node_count - 1; i > 0; --i)
      take_force_in(limbs.model, i, limbs.given[2], limbs.products.force, limbs.w);
    give_force(limbs, limbs.products.force, &LimbParent::force);
  }
  TreePart<double>& trunk = b.trunk;
  for (int i = trunk.model.node_count - 1; i >= 0; --i)
    take_force_in(trunk.model, i, x, trunk.products.force, trunk.w);
  clear_world(trunk.products.moved);
  for (int i = 0; i < trunk.model.node_count; ++i) move_out(trunk.model, i, x, trunk.products.moved, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    read_parents(limbs, &LimbParent::moved, limbs.products.moved);
    for (int i = 1; i < limbs.model.node_count; ++i)
      move_out(limbs.model, i, limbs.given[2], limbs.products.moved, limbs.w);
    scatter(limbs, limbs.given[2], x);
  }
}

// What both products begin with: the state of a bundle, and the motion of its parents.
template <class P>
TENON_INLINE void begin_product(Bundle<P>& limbs, const Inputs<double>& in, const TreeProduct<double>& x) {
  gather_state(in, limbs);
  gather(limbs, in.qdd, limbs.v_of, limbs.qdd);
  gather_given(limbs, x);
  read_parents(limbs, &LimbParent::a, limbs.w.a);
  for (P* at_0 : {limbs.w.f, limbs.products.force, limbs.products.moment})
    for (int e = 0; e < 6; ++e) at_0[e] = P(0);
}
template <class P>
TENON_INLINE void end_product(Bundle<P>& limbs, const TreeProduct<double>& x, double* tau) {
  if (tau) scatter(limbs, limbs.tau, tau);
  scatter_found(limbs, x);
  give_force(limbs, limbs.w.f, &LimbParent::f);
  give_force(limbs, limbs.products.force, &LimbParent::force);
}

template <class P>
void rnea_vjp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                          double* tau) {
  TreePart<double>& trunk = b.trunk;
  gather_wrenches(in.wrenches, trunk);
  sweep_vjp_outward<false>(trunk.model, inputs_of_trunk(b, in), x.x, trunk.products, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    begin_product(limbs, in, x);
    read_parents(limbs, &LimbParent::moved, limbs.products.moved);
    sweep_vjp_outward<false>(limbs.model, inputs_of(limbs, in), limbs.given[2], limbs.products, limbs.w);
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    P* const none = nullptr;
    sweep_vjp_inward<false>(limbs.model, inputs_of(limbs, in), product_of(limbs, x), tau ? limbs.tau : none,
                            none, limbs.products, limbs.w);
    end_product(limbs, x, tau);
    for (int s = 0; s < limbs.sibling_count; ++s)
      give(limbs.siblings[s], limbs.products.moment, 3, false, limbs.siblings[s].parent.moment);
  }
  sweep_vjp_inward<false>(trunk.model, inputs_of_trunk(b, in), x, tau, static_cast<double*>(nullptr),
                          trunk.products, trunk.w);
}

template <class P>
void rnea_jvp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                          double* tau) {
  TreePart<double>& trunk = b.trunk;
  gather_wrenches(in.wrenches, trunk);
  sweep_jvp_outward(trunk.model, inputs_of_trunk(b, in), x, trunk.products, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    begin_product(limbs, in, x);
    read_parents(limbs, &LimbParent::dv_body, limbs.products.dv_body);
    read_parents(limbs, &LimbParent::da_body, limbs.products.da_body);
    sweep_jvp_outward(limbs.model, inputs_of(limbs, in), product_of(limbs, x), limbs.products, limbs.w);
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    sweep_jvp_inward(limbs.model, inputs_of(limbs, in), product_of(limbs, x), tau ? limbs.tau : nullptr,
                     limbs.products, limbs.w);
    end_product(limbs, x, tau);
  }
  sweep_jvp_inward(trunk.model, inputs_of_trunk(b, in), x, tau, trunk.products, trunk.w);
}

TENON_ISA_END
}  // namespace tenon
