// What sweeps on branch lanes need besides the texts of trees: how a bundle looks to these texts, and what
// goes between bundles and the bodies that carry them.
#pragma once

#include "kernels/branches/branch_data.hpp"
#include "kernels/joint/joint.hpp"
#include "kernels/joint/sincos.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "spatial/lanes.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls f for the trunk and all bundles.
template <class P, class F>
TENON_INLINE void for_all_parts(Branches<P>& b, const F& f) {
  f(b.trunk);
  for (int k = 0; k < b.bundle_count; ++k) f(b.bundles[k]);
}

template <class N>
TENON_INLINE N gathered(const double* x, const std::int32_t* places) {
  N lanes;
  for (int l = 0; l < lanes_in<N>; ++l) set_lane(lanes, l, x[places[l]]);
  return lanes;
}
// A coordinate of each body of a bundle, from the user's vector.
template <class P>
TENON_INLINE void gather(const Bundle<P>& b, const double* x, const std::int32_t* places, P* out) {
  for (int i = 1; i < b.model.node_count; ++i) out[i] = gathered<P>(x, places + P::width * i);
}
template <class P>
TENON_INLINE void scatter_lanes(const P& lanes, const std::int32_t* places, double* out) {
  for (int l = 0; l < P::width; ++l)
    if (places[l] >= 0) out[places[l]] = lanes.x[l];
}
// The results x of a bundle, to the user's vector.
template <class P>
TENON_INLINE void scatter(const Bundle<P>& b, const P* x, double* out) {
  for (int i = 1; i < b.model.node_count; ++i) scatter_lanes(x[i], b.result_of + P::width * i, out);
}
// Rates and angles of folded rotors.
template <class P, class N>
TENON_INLINE void gather_rotors(const Branches<P>& whole, TreePart<N>& part) {
  constexpr int W = lanes_in<N>;
  for (int r = 0; r < part.model.rotor_count; ++r)
    part.w.rotor_rate[r] = gathered<N>(whole.rotor_rate, part.rotor_of + W * r);
  for (int r = 0; r < part.model.wobbling_rotors; ++r)
    part.w.rotor_angle[r] = gathered<N>(whole.rotor_angle, part.rotor_of + W * r);
}
// G and g of clusters; the trunk shares those of the model.
template <class P>
TENON_INLINE void gather_loops(const Branches<P>& whole, Bundle<P>& b) {
  for (int e = 0; e < b.varying_count; ++e)
    b.w.G[b.varying_G[e]] = gathered<P>(whole.G, b.G_of + P::width * e);
  if (b.varies) gather(b, whole.g, b.v_of, b.w.g);
}
// Rotors that wobble on the limbs' parents turn inertia there: adds it to the share of the parents.
template <class P>
TENON_INLINE void add_wobble_of_parents(Bundle<P>& b) {
  if (b.model.wobbling_rotors > 0) store(b.w.IA, load_sym3<P>(b.w.IA) + load_sym3<P>(b.w.wobble));
}
// The inputs of the trunk, whose coordinates have the model's numbers.
template <class P>
TENON_INLINE Inputs<double> inputs_of_trunk(const Branches<P>& b, const Inputs<double>& in) {
  return {in.q, in.v, in.tau, in.wrenches ? b.trunk.w.wrench : nullptr, in.desired, in.qdd};
}
// Those of a bundle, once they are gathered.
template <class P>
TENON_INLINE Inputs<P> inputs_of(const Bundle<P>& b, const Inputs<double>& in) {
  return {b.q, b.v, b.tau, in.wrenches ? b.w.wrench : nullptr, nullptr, in.qdd ? b.qdd : nullptr};
}
template <class N>
inline void gather_wrenches(const double* wrenches, TreePart<N>& part) {
  constexpr int W = lanes_in<N>;
  for (int i = ModelDataOf<N>::first_body; wrenches && i < part.model.node_count; ++i)
    for (int l = 0; l < W; ++l)
      for (int e = 0; e < 6; ++e)
        set_lane(part.w.wrench[6 * i + e], l, wrenches[6 * part.body_of[W * i + l] + e]);
}

// `count` numbers of the limbs' parents, to node 0.
template <class P>
TENON_INLINE void read_parents(const Bundle<P>& b, double* LimbParent::*numbers, P* at_0, int count = 6) {
  if (b.one_parent) {
    const double* x = b.parents[0].*numbers;
    for (int e = 0; e < count; ++e) at_0[e] = P(x[e * b.parents[0].stride]);
    return;
  }
  for (int e = 0; e < count; ++e) {
    P lanes;
    for (int l = 0; l < P::width; ++l) lanes.x[l] = (b.parents[l].*numbers)[e * b.parents[l].stride];
    at_0[e] = lanes;
  }
}
// What a sweep outward of velocities needs.
template <class P>
TENON_INLINE void gather_state(const Inputs<double>& in, Bundle<P>& limbs) {
  gather(limbs, in.q, limbs.q_of, limbs.q);
  gather(limbs, in.v, limbs.v_of, limbs.v);
  gather_wrenches(in.wrenches, limbs);
  read_parents(limbs, &LimbParent::v, limbs.w.v);
}

template <class N>
TENON_INLINE N sum_of(const Pack<N, 4>& a) {
  return (a.x[0] + a.x[1]) + (a.x[2] + a.x[3]);
}
// Four numbers of four limbs become four numbers of each limb.
template <class N>
TENON_INLINE void numbers_of_each(const Pack<N, 4>* x, Lanes<N> (&of)[4]) {
  for (int e = 0; e < 4; ++e) of[e].x = (typename Lanes<N>::Vector)x[e].x;
  transpose(of[0], of[1], of[2], of[3]);
}
// The first count[l] of four numbers of each limb, if any, to consecutive places, `at` behind to[l].
TENON_INLINE void store_numbers(const Lanes<double> (&of)[4], const std::int32_t* count, double* const* to,
                                std::int64_t at) {
  const bool all = count[0] + count[1] + count[2] + count[3] == 16;
  for (int l = 0; all && l < 4; ++l) of[l].store(to[l] + at);
  for (int l = 0; !all && l < 4; ++l) store_some(of[l], count[l], to[l] + at);
}
// The same of four numbers of each lane, `apart` numbers apart in x.
template <class P>
TENON_INLINE void store_of_limbs(const P* x, int apart, const std::int32_t* count, double* const* to,
                                 std::int64_t at) {
  static_assert(P::width == 4);
  Lanes<double> of[4];
  for (int i = 0; i < 4; ++i) of[i] = Lanes<double>::load(reinterpret_cast<const double*>(x + i * apart));
  transpose(of[0], of[1], of[2], of[3]);
  store_numbers(of, count, to, at);
}
// Adds `count` numbers of node 0 to x, those of the limbs' parent, or stores them there.
template <class P>
TENON_INLINE void give(const Siblings<P::width>& siblings, const P* at_0, int count, bool store, double* x) {
  const std::int32_t stride = siblings.parent.stride;
  int e = 0;
  if (siblings.count == P::width && stride == 1) {
    for (; e + P::width <= count; e += P::width) {
      Lanes<typename P::Number> of[4];
      numbers_of_each(at_0 + e, of);
      const auto sums = (of[0] + of[1]) + (of[2] + of[3]);
      (store ? sums : sums + Lanes<typename P::Number>::load(x + e)).store(x + e);
    }
  }
  for (; e < count; ++e) {
    typename P::Number sum;
    if (siblings.count == P::width) {
      sum = sum_of(at_0[e]);
    } else {
      sum = at_0[e].x[siblings.lanes[0]];
      for (int j = 1; j < siblings.count; ++j) sum += at_0[e].x[siblings.lanes[j]];
    }
    x[e * stride] = store ? sum : x[e * stride] + sum;
  }
}
// To be called before limbs give to this bundle.
template <class P>
TENON_INLINE void clear_collecting(const Bundle<P>& b) {
  for (int j = 0; j < b.collecting_count; ++j) store(b.w.IA + 21 * b.collecting[j], ArticulatedInertia<P>{});
}
// Articulated inertia in sweeps without rows.
template <class P>
TENON_INLINE void give_inertia(const Bundle<P>& b) {
  for (int k = 0; k < b.sibling_count; ++k)
    give(b.siblings[k], b.w.IA, 21, b.siblings[k].stores != 0, b.siblings[k].parent.IA);
}
template <class P>
TENON_INLINE void give_force(const Bundle<P>& b, const P* at_0, double* LimbParent::*numbers) {
  for (int k = 0; k < b.sibling_count; ++k)
    give(b.siblings[k], at_0, 6, false, b.siblings[k].parent.*numbers);
}

TENON_ISA_END
}  // namespace tenon
