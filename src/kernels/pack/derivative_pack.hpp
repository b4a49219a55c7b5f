// Matrices of first derivatives of packs, in the notation of kernels/derivatives/rnea_derivatives.hpp, where
// coordinates of one state are in lanes; here lanes are states. All vectors are in the frame of the root body of each
// tree, so that a coordinate k meets its ancestors without transforms. Those of forward dynamics are - M^-1 times those
// of inverse dynamics, by M = L^T L (spatial/tree_factor.hpp), four columns at a time. Cost O(n d), and O(n d) a
// column.
#pragma once

#include "kernels/pack/crba_pack.hpp"
#include "kernels/pack/product_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE VelocityInertia<T> load_velocity_inertia(const T* a) {
  return {load_mat3<T>(a), load_vec3<T>(a + 9)};
}
template <class T>
TENON_INLINE void store(T* a, const VelocityInertia<T>& B) {
  store(a, B.rotation), store(a + 9, B.momentum);
}

// to[e] += from[e].
template <int count, class T>
TENON_INLINE void add_numbers(const T* from, T* to) {
  for (int e = 0; e < count; ++e) to[e] = to[e] + from[e];
}

// Outward in the root frame: motions of bodies and of coordinates, and of each body the force and the velocity inertia.
template <class T>
inline void sweep_derivative_motions(const ModelData& m, const Inputs<T>& in, PackedDerivatives<T>& d,
                                     WorkspaceData<T>& w) {
  place_in_root_frame(m, in.q, w);
  set_world_motion(w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    Motion<T> v = load_motion<T>(w.v + 6 * n.parent), a = load_motion<T>(w.a + 6 * n.parent);
    if (n.parent < 0) {
      with_joint(n, [&](auto joint) {
        using J = decltype(joint);
        a = motion_to_child(J::load(n, i, w), a);
      });
    }
    const Motion<T> v_p = v, a_p = a;
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    Motion<T> rate{}, acceleration{};
    for (int k = n.v_index; k < end; ++k) {
      const Motion<T> S = load_motion<T>(w.U + 6 * k);
      rate = rate + Motion<T>{in.v[k] * S.w, in.v[k] * S.v};
      acceleration = acceleration + Motion<T>{in.qdd[k] * S.w, in.qdd[k] * S.v};
    }
    v = v + rate;
    a = a + acceleration + cross(v, rate);
    for (int k = n.v_index; k < end; ++k) {
      const Motion<T> S = load_motion<T>(w.U + 6 * k), psi_dot = cross(v_p, S);
      store(d.psi_dot + 6 * k, psi_dot);
      store(d.psi_ddot + 6 * k, cross(a_p, S) + cross(v_p, psi_dot));
      store(d.S_rate + 6 * k, psi_dot + cross(v, S));
    }
    store(w.v + 6 * i, v), store(w.a + 6 * i, a);
    const RigidInertia<T> I = load_inertia<T>(w.IA + 21 * i);
    Force<T> f = I * a + velocity_product(I, v);
    if (in.wrenches) {
      const Transform<Rot3<T>, T> X = {{load_mat3<T>(w.R0 + 9 * i)}, load_vec3<T>(w.p0 + 3 * i)};
      f = f - force_to_parent(X, load_force<T>(in.wrenches + 6 * i));
    }
    store(w.f + 6 * i, f);
    store(d.B + 12 * i, twice(velocity_inertia(I, v)));
  }
}

// Where coordinate k meets its ancestors j, itself the first.
template <class T>
inline void meet_ancestors(const ModelData& m, int i, int k, const PackedProduct<T>& x,
                           PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  const RigidInertia<T> I = load_inertia<T>(w.IA + 21 * i);
  const VelocityInertia<T> B = load_velocity_inertia(d.B + 12 * i);
  const Motion<T> S = load_motion<T>(w.U + 6 * k), psi_dot = load_motion<T>(d.psi_dot + 6 * k);
  const Force<T> F = I * S;
  const Vec3<T> N = transposed_moment(B, S);
  const Force<T> F_q =
      I * load_motion<T>(d.psi_ddot + 6 * k) + B * psi_dot + cross_force(S, load_force<T>(w.f + 6 * i));
  const Force<T> F_v = I * load_motion<T>(d.S_rate + 6 * k) + B * S;
  const std::ptrdiff_t nv = m.nv;
  T* const row = d.M + std::ptrdiff_t{k} * (k + 1) / 2;
  for (int j = k; j >= 0; j = m.v_parent[j]) {
    const Motion<T> S_j = load_motion<T>(w.U + 6 * j);
    const T inertia = dot(S_j, F);
    row[j] = inertia;
    if (x.by_x) x.by_x[j + k * nv] = x.by_x[k + j * nv] = inertia;
    if (x.by_q) {
      x.by_q[j + k * nv] = dot(S_j, F_q);
      x.by_q[k + j * nv] =
          dot(load_motion<T>(d.psi_ddot + 6 * j), F) + dot(load_vec3<T>(d.psi_dot + 6 * j), N);
    }
    if (x.by_v) {
      x.by_v[j + k * nv] = dot(S_j, F_v);
      x.by_v[k + j * nv] = dot(load_motion<T>(d.S_rate + 6 * j), F) + dot(S_j.w, N);
    }
  }
  // A joint turns its own columns of S too.
  for (int j = m.nodes[i].v_index; x.by_q && j < k; ++j) {
    const Motion<T> S_j = load_motion<T>(w.U + 6 * j);
    x.by_q[j + k * nv] =
        dot(load_motion<T>(d.psi_ddot + 6 * k), I * S_j) + dot(psi_dot.w, transposed_moment(B, S_j));
  }
}

template <class T>
void rnea_derivatives_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                                PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  sweep_derivative_motions(m, in, d, w);
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    for (int k = n.v_index; k < end; ++k) {
      meet_ancestors(m, i, k, x, d, w);
      const T armature = load_armature(m, k, w);
      tau[k] = dot(load_motion<T>(w.U + 6 * k), load_force<T>(w.f + 6 * i)) + armature * in.qdd[k];
      const std::ptrdiff_t diagonal = k;
      d.M[diagonal * (diagonal + 3) / 2] = d.M[diagonal * (diagonal + 3) / 2] + armature;
      if (x.by_x) x.by_x[diagonal * (m.nv + 1)] = d.M[diagonal * (diagonal + 3) / 2];
    }
    if (n.parent < 0) continue;
    add_numbers<10>(w.IA + 21 * i, w.IA + 21 * n.parent);
    add_numbers<12>(d.B + 12 * i, d.B + 12 * n.parent);
    add_numbers<6>(w.f + 6 * i, w.f + 6 * n.parent);
  }
}

// ---- forward dynamics

// Columns `first` to first + C - 1 of X := sign M^-1 X by L, with 1 / L_kk on the diagonal. Rows from `end` on are
// zero, and so are those before `first` that have none of the columns in their subtree.
template <int C, class T>
inline void solve_tree_columns(const ModelData& m, const T* L, const T& sign, int first, int end, T* X,
                               const PackedDerivatives<T>& d) {
  const std::ptrdiff_t nv = m.nv;
  T* const x = X + first * nv;
  for (int k = end - 1; k >= 0; --k) {
    if (k < first && d.subtree_end[k] <= first) continue;
    const T* const row = L + std::ptrdiff_t{k} * (k + 1) / 2;
    T y[C];
    for (int c = 0; c < C; ++c) x[k + c * nv] = y[c] = row[k] * x[k + c * nv];
    for (int j = m.v_parent[k]; j >= 0; j = m.v_parent[j])
      for (int c = 0; c < C; ++c) x[j + c * nv] = x[j + c * nv] - row[j] * y[c];
  }
  for (int k = 0; k < m.nv; ++k) {
    const T* const row = L + std::ptrdiff_t{k} * (k + 1) / 2;
    T y[C];
    for (int c = 0; c < C; ++c) y[c] = sign * x[k + c * nv];
    for (int j = m.v_parent[k]; j >= 0; j = m.v_parent[j])
      for (int c = 0; c < C; ++c) y[c] = y[c] - row[j] * x[j + c * nv];
    for (int c = 0; c < C; ++c) x[k + c * nv] = row[k] * y[c];
  }
}
template <class T>
inline void solve_tree(const ModelData& m, const T* L, const T& sign, bool unit, T* X,
                       const PackedDerivatives<T>& d) {
  constexpr int columns = 4;
  for (int first = 0, next; first < m.nv; first = next) {
    next = first + columns <= m.nv ? first + columns : first + 1;
    int end = next;
    for (int k = first; !unit && k < next; ++k) end = d.subtree_end[k] > end ? d.subtree_end[k] : end;
    if (next == first + columns)
      solve_tree_columns<columns>(m, L, sign, first, end, X, d);
    else
      solve_tree_columns<1>(m, L, sign, first, end, X, d);
  }
}

template <class T>
bool forward_derivatives_of_states(const ModelData& m, const PackedProduct<T>& x, PackedDerivatives<T>& d) {
  if (!factor_along_tree(m.nv, m.v_parent, d.M)) return false;
  for (std::ptrdiff_t k = 0; k < m.nv; ++k) {
    T& diagonal = d.M[k * (k + 3) / 2];
    diagonal = T(1) / diagonal;
  }
  if (x.by_q) solve_tree(m, d.M, T(-1), false, x.by_q, d);
  if (x.by_v) solve_tree(m, d.M, T(-1), false, x.by_v, d);
  if (!x.by_x) return true;
  for (std::ptrdiff_t j = 0; j < m.nv; ++j)
    for (std::ptrdiff_t i = 0; i < m.nv; ++i) x.by_x[i + j * m.nv] = T(i == j ? 1 : 0);
  solve_tree(m, d.M, T(1), true, x.by_x, d);
  return true;
}

TENON_ISA_END
}  // namespace tenon
