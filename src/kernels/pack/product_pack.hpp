// Products of packs with the derivatives of inverse dynamics: the sweeps of kernels/tree/product_sweeps.hpp, lanes are states.
#pragma once

#include <limits>

#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/parameter_product.hpp"
#include "kernels/derivatives/rnea_products.hpp"
#include "kernels/pack/constrained_pack.hpp"
#include "kernels/pack/derivative_pack_table.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/tree/product_sweeps.hpp"
#include "spatial/number_lists.hpp"

namespace tenon {
TENON_ISA_BEGIN

// rows: as NoRows (kernels/derivatives/rnea_products.hpp). turning: forces that it adds, which count for turns of subtrees, 6 a
// body. With rows d.moment has whole forces, 6 a body.
template <class T, class Rows>
TENON_INLINE void rnea_vjp_of_states_with(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x,
                                          T* tau, T* turning, PackedDerivatives<T>& d, WorkspaceData<T>& w,
                                          const Rows& rows) {
  sweep_vjp_outward<Rows::any>(m, in, x, d, w);
  rows();
  sweep_vjp_inward<Rows::any>(m, in, x, tau, turning, d, w);
}

// Adds w^T Y (kernels/derivatives/parameter_product.hpp) to by_inertia, 10 a link of the model. After
// rnea_vjp_of_states, which leaves the motion of bodies for the gradient w.
template <class T>
void add_parameter_products_of_states(const ParameterData<double>& links, T* by_inertia,
                                      const PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  for (int i = 0; i < links.count; ++i) {
    const double* const at = links.in_body + 48 * (i / 4) + i % 4;  // of four links side by side
    const auto own = [&](int e) { return T(at[4 * e]); };
    const Transform<Rot3<T>, T> X = {
        {{own(0), own(1), own(2), own(3), own(4), own(5), own(6), own(7), own(8)}},
        {own(9), own(10), own(11)}};
    const auto of_link = [&](const T* field) {
      return motion_to_child(X, load_motion<T>(field + 6 * links.body[i]));
    };
    T x[10];
    multiply_with_unit_forces(of_link(w.v), of_link(w.a), of_link(d.moved), x);
    T* const to = by_inertia + 10 * links.link[i];
    for (int c = 0; c < 10; ++c) to[c] = to[c] + x[c];
  }
}

template <class T>
void rnea_vjp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                        PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  rnea_vjp_of_states_with(m, in, x, tau, static_cast<T*>(nullptr), d, w, NoRows{});
}

template <class T, class Rows>
TENON_INLINE void rnea_jvp_of_states_with(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x,
                                          T* tau, PackedDerivatives<T>& d, WorkspaceData<T>& w,
                                          const Rows& rows) {
  sweep_jvp_outward(m, in, x, d, w);
  rows();
  sweep_jvp_inward(m, in, x, tau, d, w);
}

template <class T>
void rnea_jvp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                        PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  rnea_jvp_of_states_with(m, in, x, tau, d, w, NoRows{});
}

// Body i of a cluster in these sweeps: inward, then outward.
template <class T>
inline void take_forces_in_cluster(const ModelData& m, const ClusterData& c, int i, const T* x, T* force,
                                   WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  const auto add = [&](int body, const Force<T>& f) {
    T* const sum = force + 6 * body;
    if (body >= 0) store(sum, load_force<T>(sum) + f);
  };
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const Force<T> p = load_force<T>(force + 6 * i);
    T work[J::nv];
    load_rate<J>(n, x, work);
    for_each_column<J, T>(n, [&](auto r, auto S) { work[r.value] = work[r.value] - dot(S, p); });
    take_work_in<J>(c, n, i, work, w);
    add(n.parent, force_to_parent(J::load(n, i, w), p));
  });
  if (i > c.node_begin) return;
  Force<T> reaction{};
  add_cluster_reaction(c, reaction, w);
  add(c.parent, reaction);
}
template <class T>
inline void move_body_of_cluster(const ModelData& m, const ClusterData& c, int i, T* x, T* motion,
                                 WorkspaceData<T>& w) {
  if (i == c.node_begin) {
    solve_cluster(c, load_motion<T>(motion + 6 * c.parent), w.delta_u, w);
    for (int k = 0; k < c.v_count; ++k) x[c.v_begin + k] = spanning_acceleration(c, k, w);
  }
  const NodeData& n = m.nodes[i];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = motion_to_child(J::load(n, i, w), load_motion<T>(motion + 6 * n.parent));
    T rate[J::nv];
    load_rate<J>(n, x, rate);
    add_motion<J>(n, a, rate);
    store(motion + 6 * i, a);
  });
}

// y := -x, and no zero with a sign, by bits: these kernels are compiled for zeros without signs.
template <class T>
void negate(const T* x, int count, T* y) {
  constexpr auto sign = std::numeric_limits<typename T::Integer>::min();
  for (int i = 0; i < count; ++i) {
    const auto bits = x[i].bits();
    y[i] = T::of_bits((bits ^ sign) & (typename T::Bits)((bits & ~sign) != 0));
  }
}

// The two sweeps of kernels/tree/inverse_mass.hpp for one column of each state, with forces on bodies too: d.force, in the
// other sign. Leaves the motions of bodies in d.moved. With clusters x := G (G^T M G)^-1 G^T x. move_too(i): what else moves
// outward; each of both waits for the parent, and side by side they do so at the same time.
template <class T, class Move>
TENON_INLINE void solve_for_forces_and(const ModelData& m, T* x, PackedDerivatives<T>& d, WorkspaceData<T>& w,
                                       const Move& move_too) {
  T *const force = d.force, *const motion = d.moved;
  const auto cluster = [&](int i) { return takes_loops<T> ? cluster_of(m, i) : nullptr; };
  Force<T> carried{};
  for (int i = m.node_count - 1; i >= 0; --i) {
    if (const ClusterData* c = cluster(i)) {
      take_forces_in_cluster(m, *c, i, x, force, w);
      continue;
    }
    take_force_in(m, i, x, force, carried, w);
  }
  clear_world(motion);
  for (int i = 0; i < m.node_count; ++i) {
    move_too(i);
    if (const ClusterData* c = cluster(i)) {
      move_body_of_cluster(m, *c, i, x, motion, w);
      continue;
    }
    move_out(m, i, x, motion, w);
  }
}
template <class T>
inline void solve_for_forces(const ModelData& m, T* x, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  solve_for_forces_and(m, x, d, w, [](int) {});
}

template <class T>
void solve_by_inertias(const ModelData& m, T* x, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  clear_forces(d.force, m.node_count);
  solve_for_forces(m, x, d, w);
}

template <class T>
bool aba_and_solve_of_states(const ModelData& m, const Inputs<T>& in, T* qdd, T* x, PackedDerivatives<T>& d,
                             WorkspaceData<T>& w) {
  clear_forces(d.force, m.node_count);
  sweep_velocities(m, in, m.varying_clusters > 0, w);
  if (!sweep_inertias_without_rows(m, in, w)) return false;
  const T* const v = in.v;
  with_loops<T>(m, [&](auto loops) {
    solve_for_forces_and(m, x, d, w,
                         [&](int i) TENON_INLINE_LAMBDA { roll_out_node<loops.value>(m, i, v, qdd, w); });
  });
  return true;
}

TENON_ISA_END
}  // namespace tenon
