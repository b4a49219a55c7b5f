// Embedded loops in derivatives of packs, as of one state (calls/derivatives/embedded_loops.hpp, of which here are the names):
// gradients of their rows, their forces, and independent velocities; for products (constrained_product_pack.hpp). O(n), and
// O(rows d^2) a cluster.
#pragma once

#include "kernels/derivatives/row_products.hpp"
#include "kernels/pack/loops_pack.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/pack/product_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class N, int W>
inline constexpr bool has_turn_gradients<Pack<N, W>> = takes_loops<Pack<N, W>>;

// They have several formulas, so they are computed lane by lane.
template <class N, int W>
inline void turn_gradients(unsigned rows, const Mat3<Pack<N, W>>& R_1, const Mat3<Pack<N, W>>& R_2,
                           const Vec3<Pack<N, W>>& w, const Vec3<Pack<N, W>>& w_rate,
                           TurnGradient<Pack<N, W>>* out) {
  const int held = static_cast<int>((rows & 1u) + (rows >> 1 & 1u) + (rows >> 2 & 1u));
  for (int i = 0; i < W; ++i) {
    TurnGradient<double> one[3];
    turn_gradients(rows, lane_of(R_1, i), lane_of(R_2, i), lane_of(w, i), lane_of(w_rate, i), one);
    for (int r = 0; r < held; ++r) {
      set_lane(one[r].n, i, out[r].n), set_lane(one[r].velocity_theta, i, out[r].velocity_theta);
      set_lane(one[r].theta, i, out[r].theta), set_lane(one[r].velocity, i, out[r].velocity);
      set_lane(one[r].n_theta, i, out[r].n_theta);
    }
  }
}

// out := what all joints take of these forces on bodies, and their armatures times a, null: zero. sum: 6 a body, room.
template <class T>
inline void project_subtrees(const ModelData& m, const T* force, const T* a, T* sum, T* out,
                             const WorkspaceData<T>& w) {
  for (int e = 0; e < 6 * m.node_count; ++e) sum[e] = force[e];
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const Force<T> f = load_force<T>(sum + 6 * i);
      project_on_joint<J>(m, n, f, a, out, w);
      if (n.parent < 0) return;
      T* const to = sum + 6 * n.parent;
      store(to, load_force<T>(to) + force_to_parent(J::load(n, i, w), f));
    });
  }
}

// forces := those of loops with K^T forces = x on dependent coordinates, after factor_dependent. K of the workspace has the
// opposite sign of K of closures.
template <class T>
inline void hold_by_loops(const ModelData& m, const T* x, T* forces, const PackedLoops<T>& p) {
  balance_dependent(m, p.factor, x, forces);
  for (int r = 0; r < m.loop_row_count; ++r) forces[r] = -forces[r];
}

// ---- independent velocities, whose map to those of the tree changes with q

template <class T>
inline ActingRows<T> rows_of_velocities(const RowsOfStates<T>& rows, PackedLoops<T>& p) {
  return {&rows, p.of_velocities.N, p.of_velocities.side_N, &p.of_velocities, nullptr, p.b, p.ds};
}

template <class T>
void place_velocity_rows_of_states(const ModelData& m, const Inputs<T>& in, bool moves, PackedLoops<T>& p,
                                   WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    if (!moves) sweep_velocities(m, in, false, w);
    const RowsOfStates<T> rows{*p.rows, p.settings};
    row_gradients(m, rows, &p.of_velocities, static_cast<RowDerivativeData<T>*>(nullptr), false, w);
    factor_dependent(m, static_cast<const T*>(w.loop_K), p.factor);
  }
}

template <class T>
void add_velocity_changes_of_states(const ModelData& m, const Inputs<T>& in, const T* dq, T* dv,
                                    PackedLoops<T>& p, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    place_motion_for(m, dq, p.theta, w);
    clear_world(d.dv_body);
    for (int i = 0; i < m.node_count; ++i) {
      const NodeData& n = m.nodes[i];
      with_joint(n, [&](auto joint) {
        using J = decltype(joint);
        T rate[J::nv];
        Motion<T> s{}, own{};
        load_rate<J>(n, dq, rate);
        add_motion<J>(n, s, rate);
        load_rate<J>(n, in.v, rate);
        add_motion<J>(n, own, rate);
        const Motion<T> v_p = load_motion<T>(w.v + 6 * i) - own;
        const Motion<T> carried = motion_to_child(J::load(n, i, w), load_motion<T>(d.dv_body + 6 * n.parent));
        store(d.dv_body + 6 * i, carried + cross(v_p, s));
      });
    }
    const RowsOfStates<T> rows{*p.rows, p.settings};
    for (int r = 0; r < m.loop_row_count; ++r) p.ds[r] = T(0);
    for_row_sides(rows_of_velocities(rows, p),
                  [&](int r, const RowSide& side, const Force<T>&, const Force<T>& N, const Force<T>& P) {
                    p.ds[r] = p.ds[r] + dot(load_motion<T>(d.dv_body + 6 * side.body), N) +
                              dot(load_motion<T>(p.theta + 6 * side.body), P);
                  });
    close_by_dependent(m, p.factor, static_cast<const T*>(p.ds), p.h);
    for (int k = 0; k < m.nv; ++k) dv[k] = dv[k] + p.h[k];
  }
}

template <class T>
void add_velocity_gradients_of_states(const ModelData& m, const T* v, T* g_q, const T* g_v, PackedLoops<T>& p,
                                      WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    const RowsOfStates<T> rows{*p.rows, p.settings};
    balance_dependent(m, p.factor, g_v, p.b);
    T *const moves = p.sum, *const turns = p.turning;
    for (int e = 0; e < 6 * m.node_count; ++e) moves[e] = turns[e] = T(0);
    for_row_sides(rows_of_velocities(rows, p),
                  [&](int r, const RowSide& side, const Force<T>&, const Force<T>& N, const Force<T>& P) {
                    const T minus = -p.b[r];
                    subtract_force(moves, side.body, minus * N), subtract_force(turns, side.body, minus * P);
                  });
    // The two sides of a row cancel at the parent of its cluster, which may be an end of the loop.
    for (int i = m.node_count - 1; i >= 0; --i) {
      const ClusterData* c = cluster_of(m, i);
      if (!c || c->constant_G) continue;
      const NodeData& n = m.nodes[i];
      with_joint(n, [&](auto joint) {
        using J = decltype(joint);
        const Force<T> N = load_force<T>(moves + 6 * i), P = load_force<T>(turns + 6 * i);
        T rate[J::nv];
        Motion<T> own{};
        load_rate<J>(n, v, rate);
        add_motion<J>(n, own, rate);
        const Force<T> by_q = P - cross_force(load_motion<T>(w.v + 6 * i) - own, N);
        for_each_column<J, T>(n, [&](auto r, auto S) {
          const int k = n.v_index + r.value;
          const T x = dot(S, by_q);
          g_q[k] = g_q[k] + (J::one_dof ? T(n.sign) * x : x);
        });
        if (n.parent < 0) return;
        const auto X = J::load(n, i, w);
        for (T* field : {moves, turns}) {
          T* const to = field + 6 * n.parent;
          store(to, load_force<T>(to) + force_to_parent(X, load_force<T>(field + 6 * i)));
        }
      });
    }
  }
}

TENON_ISA_END
}  // namespace tenon
