// Products with the derivatives of dynamics (kernels/tree/product_sweeps.hpp), and M^-1 times a vector after a sweep of
// articulated inertias, on branch lanes: of joints alone, without clusters and rotors. Rows are on limbs, after
// constraint_state_of_branches (kernels/derivatives/row_products.hpp has what they add).
#pragma once

#include "kernels/branches/constrained_aba_branches.hpp"
#include "kernels/derivatives/row_products.hpp"
#include "kernels/pack/pack_rotation_rates.hpp"
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
          x.by_x ? limbs.found[2] : nullptr,
          x.placed,
          x.moved};
}
template <class P>
TENON_INLINE void scatter_found(const Bundle<P>& limbs, const TreeProduct<double>& x) {
  double* const to[3] = {x.by_q, x.by_v, x.by_x};
  for (int i = 0; i < 3; ++i)
    if (to[i]) scatter(limbs, limbs.found[i], to[i]);
}

// ---- rows, all on limbs

// The force that a row exerts on the body of its node, of all rows of a bundle: each(node, force).
template <class P, class Each>
TENON_INLINE void for_row_forces(const Bundle<P>& limbs, const P* forces, const Each& each) {
  for (int i = 1; i < limbs.model.node_count; ++i)
    for (int r = limbs.rows.node_row_first[i]; r < limbs.rows.node_row_first[i + 1]; ++r)
      each(6 * i, scaled(forces[r], load_force<P>(limbs.w.K + 6 * r)));
}
// Inputs with the forces of rows among the wrenches, after gather_state.
template <class P>
inline Inputs<P> inputs_with_rows(Bundle<P>& limbs, const Inputs<double>& in, const double* lambda) {
  P* const wrench = limbs.w.wrench;
  for (int e = 0; !in.wrenches && e < 6 * limbs.model.node_count; ++e) wrench[e] = P(0);
  gather_rows(limbs, lambda, limbs.row_lambda);
  for_row_forces(limbs, limbs.row_lambda,
                 [&](int at, const Force<P>& f) { store(wrench + at, load_force<P>(wrench + at) + f); });
  Inputs<P> own = inputs_of(limbs, in);
  own.wrenches = wrench;
  return own;
}
template <class P>
TENON_INLINE ProductRows<P, ConstraintDataOf<P>> rows_of_limbs(const Bundle<P>& limbs) {
  return {{{&limbs.rows, nullptr, nullptr, nullptr, limbs.row_lambda, limbs.row_b, limbs.row_ds}, {}},
          1,
          limbs.turning,
          limbs.theta};
}

// out := K times these motions of bodies, of all rows.
template <class P>
inline void multiply_rows(Bundle<P>& limbs, const P* motion, double* out) {
  for (int i = 1; i < limbs.model.node_count; ++i)
    for (int r = limbs.rows.node_row_first[i]; r < limbs.rows.node_row_first[i + 1]; ++r)
      limbs.row_ds[r] = dot(load_motion<P>(motion + 6 * i), load_force<P>(limbs.w.K + 6 * r));
  scatter_rows(limbs, limbs.row_ds, out);
}
template <class P>
void row_accelerations_of_branches(Branches<P>& b, double* out) {
  for (int k = 0; k < b.bundle_count; ++k) multiply_rows(b.bundles[k], b.bundles[k].w.a, out);
}

// x := M^-1 (x + J^T forces) and motions := J x; null: no forces, or not wanted.
template <class P>
void inverse_mass_times_of_branches(Branches<P>& b, double* x, const double* forces, double* motions) {
  for_all_parts(b, [](auto& part) {
    using N = std::decay_t<decltype(*part.products.force)>;
    for (int i = 0; i < part.model.node_count; ++i) store(part.products.force + 6 * i, Force<N>{});
  });
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    P *const u = limbs.given[2], *const force = limbs.products.force;
    gather(limbs, x, limbs.v_of, u);
    if (forces) {
      gather_rows(limbs, forces, limbs.row_b);
      for_row_forces(limbs, limbs.row_b,
                     [&](int at, const Force<P>& f) { store(force + at, load_force<P>(force + at) - f); });
    }
    Force<P> carried{};
    for (int i = limbs.model.node_count - 1; i > 0; --i)
      take_force_in(limbs.model, i, u, force, carried, limbs.w);
    give_force(limbs, force, &LimbParent::force);
  }
  TreePart<double>& trunk = b.trunk;
  Force<double> carried{};
  for (int i = trunk.model.node_count - 1; i >= 0; --i)
    take_force_in(trunk.model, i, x, trunk.products.force, carried, trunk.w);
  clear_world(trunk.products.moved);
  for (int i = 0; i < trunk.model.node_count; ++i) move_out(trunk.model, i, x, trunk.products.moved, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    P *const u = limbs.given[2], *const moved = limbs.products.moved;
    read_parents(limbs, &LimbParent::moved, moved);
    for (int i = 1; i < limbs.model.node_count; ++i) move_out(limbs.model, i, u, moved, limbs.w);
    scatter(limbs, u, x);
    if (motions) multiply_rows(limbs, moved, motions);
  }
}

// ---- products

// What both products begin with: the state of a bundle, and the motion of its parents.
template <bool with_rows, class P>
TENON_INLINE Inputs<P> begin_product(Bundle<P>& limbs, const Inputs<double>& in, const TreeProduct<double>& x,
                                     const RowProduct<double>& rows) {
  gather_state(in, limbs);
  gather(limbs, in.qdd, limbs.v_of, limbs.qdd);
  gather_given(limbs, x);
  read_parents(limbs, &LimbParent::a, limbs.w.a);
  for (P* from_limbs : {limbs.w.f, limbs.products.force, limbs.products.moment})
    store(from_limbs, Force<P>{});
  if constexpr (with_rows) return inputs_with_rows(limbs, in, rows.lambda);
  return inputs_of(limbs, in);
}
template <class P>
TENON_INLINE void end_product(Bundle<P>& limbs, const TreeProduct<double>& x, double* tau) {
  if (tau) scatter(limbs, limbs.tau, tau);
  scatter_found(limbs, x);
  give_force(limbs, limbs.w.f, &LimbParent::f);
  give_force(limbs, limbs.products.force, &LimbParent::force);
}

template <bool with_rows, class P>
inline void sweep_vjp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                                  double* tau, const RowProduct<double>& rows) {
  TreePart<double>& trunk = b.trunk;
  gather_wrenches(in.wrenches, trunk);
  sweep_vjp_outward<with_rows>(trunk.model, inputs_of_trunk(b, in), x, trunk.products, trunk.w);
  for (int e = 0; with_rows && e < 6 * trunk.model.node_count; ++e) trunk.turning[e] = 0;
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    const Inputs<P> own = begin_product<with_rows>(limbs, in, x, rows);
    read_parents(limbs, &LimbParent::moved, limbs.products.moved);
    sweep_vjp_outward<with_rows>(limbs.model, own, product_of(limbs, x), limbs.products, limbs.w);
    if constexpr (with_rows) {
      gather_rows(limbs, rows.b, limbs.row_b);
      const auto of_limbs = rows_of_limbs(limbs);
      RowsOfVjp<P, ProductBodies<P>, ModelDataOf<P>, ConstraintDataOf<P>>{limbs.model, of_limbs,
                                                                          limbs.products, limbs.w}();
    }
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    P* const none = nullptr;
    sweep_vjp_inward<with_rows>(limbs.model, inputs_of(limbs, in), product_of(limbs, x),
                                tau ? limbs.tau : none, limbs.turning, limbs.products, limbs.w);
    end_product(limbs, x, tau);
    if constexpr (with_rows) {
      give_force(limbs, limbs.products.moment, &LimbParent::moment_with_rows);
      give_force(limbs, limbs.turning, &LimbParent::turning);
    } else {
      for (int s = 0; s < limbs.sibling_count; ++s)
        give(limbs.siblings[s], limbs.products.moment, 3, false, limbs.siblings[s].parent.moment);
    }
  }
  sweep_vjp_inward<with_rows>(trunk.model, inputs_of_trunk(b, in), x, tau, trunk.turning, trunk.products,
                              trunk.w);
}
template <bool with_rows, class P>
inline void sweep_jvp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                                  double* tau, const RowProduct<double>& rows) {
  TreePart<double>& trunk = b.trunk;
  gather_wrenches(in.wrenches, trunk);
  sweep_jvp_outward(trunk.model, inputs_of_trunk(b, in), x, trunk.products, trunk.w);
  if (with_rows && x.q) place_motion_for(trunk.model, x.q, trunk.theta, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    const Inputs<P> own = begin_product<with_rows>(limbs, in, x, rows);
    read_parents(limbs, &LimbParent::dv_body, limbs.products.dv_body);
    read_parents(limbs, &LimbParent::da_body, limbs.products.da_body);
    sweep_jvp_outward(limbs.model, own, product_of(limbs, x), limbs.products, limbs.w);
    if constexpr (with_rows) {
      for (int e = 0; !x.q && e < 6 * limbs.model.node_count; ++e) limbs.theta[e] = P(0);
      if (x.q) {
        read_parents(limbs, &LimbParent::theta, limbs.theta);
        place_motion_for(limbs.model, limbs.given[0], limbs.theta, limbs.w);
      }
      const auto of_limbs = rows_of_limbs(limbs);
      RowsOfJvp<P, ProductBodies<P>, ModelDataOf<P>, ConstraintDataOf<P>>{limbs.model, of_limbs,
                                                                          limbs.products, limbs.w}();
      scatter_rows(limbs, limbs.row_ds, rows.ds);
    }
  }
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    sweep_jvp_inward(limbs.model, inputs_of(limbs, in), product_of(limbs, x), tau ? limbs.tau : nullptr,
                     limbs.products, limbs.w);
    end_product(limbs, x, tau);
  }
  sweep_jvp_inward(trunk.model, inputs_of_trunk(b, in), x, tau, trunk.products, trunk.w);
}

template <class P>
void rnea_vjp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                          double* tau) {
  sweep_vjp_of_branches<false>(b, in, x, tau, {});
}
template <class P>
void rnea_jvp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                          double* tau) {
  sweep_jvp_of_branches<false>(b, in, x, tau, {});
}
template <class P>
void constrained_vjp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                                 const RowProduct<double>& rows) {
  sweep_vjp_of_branches<true>(b, in, x, nullptr, rows);
}
template <class P>
void constrained_jvp_of_branches(Branches<P>& b, const Inputs<double>& in, const TreeProduct<double>& x,
                                 const RowProduct<double>& rows) {
  sweep_jvp_of_branches<true>(b, in, x, nullptr, rows);
}

TENON_ISA_END
}  // namespace tenon
