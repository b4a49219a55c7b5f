// First derivatives of inverse dynamics of a tree (S. Singh, R. Russo, P. Wensing, Efficient analytical derivatives of
// rigid-body dynamics using spatial vector algebra, RA-L 2022), by tangents of configurations: q moves as integrate()
// moves it, in child axes.
//
// All vectors are in the root frame (joint/root_frame_poses.hpp), which stays where it is at this instant. For a
// coordinate k of body i with parent p, with I, B, f summed over the subtree of i (B: tree/coriolis.hpp; f the force
// that moves it, external wrenches that turn with their links taken off):
//
//   psi_dot = v_p x S,  psi_ddot = a_p x S + v_p x psi_dot,  S_rate = psi_dot + v_i x S,  F = I S
//   F_q = I psi_ddot + 2 B psi_dot + S x* f,  F_v = I S_rate + 2 B S,  N = 2 B^T S
//
// Where q_k moves, the bodies of the subtree turn by S, as they see it their velocity changes by psi_dot and their
// acceleration by psi_ddot, at first order. So for k in the subtree of j
//
//   dtau_j/dq_k = S_j . F_q_k                           dtau_j/dv_k = S_j . F_v_k            M_jk = S_j . F_k
//   dtau_k/dq_j = psi_ddot_j . F_k + psi_dot_j . N_k    dtau_k/dv_j = S_rate_j . F_k + S_j . N_k
//
// and within one joint the lower formula holds for all pairs, because a joint turns its own columns of S too. B^T
// annuls forces, so N is a moment. Cost O(n d).
#pragma once

#include "kernels/tree/coriolis.hpp"
#include "kernels/tree/matrix_tiles.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- motions of coordinates

template <class L>
struct DofMotions {
  Motion<L> S, psi_dot, psi_ddot, S_rate;
};

// Whether those of the coordinates k to k + W - 1 that there are, are of joints with one coordinate. Then their bodies are
// numbered one after the other, and there is memory for bodies in all lanes.
template <int W, class T>
TENON_INLINE bool are_single(const ModelData& m, int k, const WorkspaceData<T>& w) {
  const int end = k + W < m.nv ? k + W : m.nv, first = body_of_dof(k, w), last = body_of_dof(end - 1, w);
  return m.nodes[first].v_index == k && end_of_dofs(m, last) == end && last - first == end - k - 1 &&
         first + W <= whole_eights(m.node_count);
}
// Calls f(are single, body_of) with the bodies of coordinates k to k + W - 1 by lanes.
template <int W, class T, class F>
TENON_INLINE void with_bodies_of_dofs(const ModelData& m, int k, const WorkspaceData<T>& w, const F& f) {
  if (are_single<W>(m, k, w)) {
    const int first = body_of_dof(k, w);
    f(std::true_type{}, [first](int l) TENON_INLINE_LAMBDA { return first + l; });
  } else {
    int body[W];
    for (int l = 0; l < W; ++l) body[l] = body_of_dof(k + l, w);
    f(std::false_type{}, [&body](int l) TENON_INLINE_LAMBDA { return body[l]; });
  }
}
// What moves the parent of the body of coordinate k, gathered for k to k + W - 1.
template <int W, class T>
TENON_INLINE Motion<Lanes<T, W>> gather_of_parents(const ModelData& m, const T* field, int k,
                                                   const WorkspaceData<T>& w) {
  return gather_packed<W>([&](int l) { return load_packed(field, m.nodes[body_of_dof(k + l, w)].parent); });
}
template <int W, class T, class BodyOf>
TENON_INLINE Motion<Lanes<T, W>> gather_of_bodies(const T* field, const BodyOf& body_of) {
  return gather_packed<W>([&](int l) { return load_packed(field, body_of(l)); });
}

// Of coordinates k to k + W - 1, after sweep_motion.
template <int W, bool single, class T, class BodyOf>
TENON_INLINE DofMotions<Lanes<T, W>> dof_motions(const ModelData& m, int k, const BodyOf& body_of,
                                                 const WorkspaceData<T>& w) {
  DofMotions<Lanes<T, W>> x;
  x.S = load_motions<W>(w.S_root + k, dof_stride(m));
  const Motion<Lanes<T, W>> v = gather_of_bodies<W>(w.vw, body_of);
  if constexpr (single) {
    // S annuls itself: that of the body itself turns S as the parent's does.
    x.psi_dot = cross(v, x.S);
    x.psi_ddot = cross(gather_of_bodies<W>(w.aw, body_of), x.S) + cross(v, x.psi_dot);
    x.S_rate = x.psi_dot + x.psi_dot;
  } else {
    int parent[W], least = 0;
    for (int l = 0; l < W; ++l) {
      parent[l] = m.nodes[body_of(l)].parent;
      least = parent[l] < least ? parent[l] : least;
    }
    const auto parent_of = [&](int l) { return parent[l]; };
    const Motion<Lanes<T, W>> v_p = gather_of_bodies<W>(w.vw, parent_of);
    Motion<Lanes<T, W>> a_p;
    if (least >= 0)
      a_p = gather_of_bodies<W>(w.aw, parent_of);
    else  // each tree has its own root frame
      a_p = gather_packed<W>([&](int l) {
        return parent[l] >= 0
                   ? load_packed(w.aw, parent[l])
                   : PackedMotion<T>{Lanes<T>(T(0)), packed_acceleration_at_rest(m, body_of(l), w)};
      });
    x.psi_dot = cross(v_p, x.S);
    x.psi_ddot = cross(a_p, x.S) + cross(v_p, x.psi_dot);
    x.S_rate = x.psi_dot + cross(v, x.S);
  }
  return x;
}
template <int W, class T>
TENON_INLINE DofMotions<Lanes<T, W>> dof_motions(const ModelData& m, int k, const WorkspaceData<T>& w) {
  DofMotions<Lanes<T, W>> x;
  with_bodies_of_dofs<W>(m, k, w, [&](auto single, const auto& body_of) TENON_INLINE_LAMBDA {
    x = dof_motions<W, single>(m, k, body_of, w);
  });
  return x;
}

// The force on the subtree of the bodies of coordinates k to k + W - 1.
template <int W, class T>
TENON_INLINE Force<Lanes<T, W>> forces_of_dofs(const T* field, int k, const WorkspaceData<T>& w) {
  const Motion<Lanes<T, W>> f = gather_of_dofs<W>(field, k, w);
  return {f.w, f.v};
}

// What all kernels of derivatives begin with, after sweep_motion: inertias of bodies, and forces on their subtrees. Calls
// each(i, I, v) with inertias and velocities of bodies i to i + W - 1, as many as wide lanes hold.
template <class T, class Each>
TENON_INLINE void place_subtree_forces(const ModelData& m, const T* wrenches, WorkspaceData<T>& w,
                                       const Each& each) {
  place_body_forces(m, wrenches, w, each);
  sum_over_subtrees<2>(m, w.fw);
}

// f with zeros for the first `count` things, at most those of a pack.
template <class T, int W>
TENON_INLINE Force<Lanes<T, W>> without_first(const Force<Lanes<T, W>>& f, int count) {
  T keep[W];
  for (int l = 0; l < W; ++l) keep[l] = T(l < count ? 0 : 1);
  return Lanes<T, W>::load(keep) * f;
}

// Calls f(W, i) for packs of things i to i + W - 1 out of n, as wide as registers; of the last four at most, for four.
template <class T, class F>
TENON_INLINE void for_packs(int n, const F& f) {
  int i = 0;
  if constexpr (wide_count < T >> 4)
    for (; i + 4 < n; i += wide_count<T>) f(std::integral_constant<int, wide_count<T>>{}, i);
  constexpr int last = wide_count < T >> 4 ? 4 : wide_count<T>;
  for (; i < n; i += last) f(std::integral_constant<int, last>{}, i);
}

// Fields over coordinates. summed: inertias of subtrees, in w.Ic, and F are there.
template <bool summed, class T>
inline void derivative_forces(const ModelData& m, const T* wrenches, DerivativeData<T>& d,
                              WorkspaceData<T>& w) {
  for_packs<T>(m.node_count, [&](auto lanes, int first) TENON_INLINE_LAMBDA {
    const auto place_twice_B = [&](int i, const auto& I, const auto& v) TENON_INLINE_LAMBDA {
      store_velocity_inertias(i, velocity_inertia(I, v + v), d.B);
    };
    place_forces_of_bodies<lanes, summed>(first, w, place_twice_B);
  });
  take_off_wrenches(m, wrenches, w);
  if constexpr (summed)
    sum_over_subtrees<2, 3>(m, w.fw, d.B);
  else
    sum_over_subtrees<2, 3, 3>(m, w.fw, w.Ic, d.B);
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  for_packs<T>(m.nv, [&](auto lanes, int k) TENON_INLINE_LAMBDA {
    constexpr int W = lanes;
    using L = Lanes<T, W>;
    with_bodies_of_dofs<W>(m, k, w, [&](auto single, const auto& body_of) TENON_INLINE_LAMBDA {
      const DofMotions<L> x = dof_motions<W, single>(m, k, body_of, w);
      store_motions(d.psi_dot + k, stride, x.psi_dot);
      store_motions(d.psi_ddot + k, stride, x.psi_ddot);
      store_motions(d.S_rate + k, stride, x.S_rate);
      const RigidInertia<L> I = gather_inertias<W>(w, body_of);
      const VelocityInertia<L> B = gather_velocity_inertias<W>(d.B, body_of);
      const Motion<L> packed = gather_of_bodies<W>(w.fw, body_of);
      Force<L> f = {packed.w, packed.v};
      // Of a floating root it is read for pairs of its own coordinates alone, whose S turns with them.
      if (!single && k < root) f = without_first(f, root - k);
      store_rows(d.F_q + k, stride, I * x.psi_ddot + B * x.psi_dot + cross_force(x.S, f));
      store_rows(d.F_v + k, stride, I * x.S_rate + B * x.S);
      if (!summed) store_rows(w.F_root + k, stride, I * x.S);
      store_lanes(d.N + k, stride, transposed_moment(B, x.S));
    });
  });
}

// tau of inverse dynamics. a: that of the motion. After a kernel below or of rnea_products.hpp.
template <class T>
void derivative_torques(const ModelData& m, const T* a, T* tau, WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += W) {
    with_bodies_of_dofs<W>(m, k, w, [&](auto, const auto& body_of) TENON_INLINE_LAMBDA {
      const Motion<L> f = gather_of_bodies<W>(w.fw, body_of);
      const L x = dot(load_motions<W>(w.S_root + k, stride), Force<L>{f.w, f.v});
      if constexpr (W == 1)
        x.store(tau + k);
      else
        store_first(x, m.nv - k < W ? m.nv - k : W, tau + k);
    });
  }
  for (int k = 0; k < m.nv; ++k) tau[k] = tau[k] + T(m.armature[k]) * a[k];
}

// ---- matrices

// What fill_wanted does, from each coordinate along its path to the root, however bodies are numbered.
template <class T>
inline void fill_by_paths(const ModelData& m, const Matrices<T>& to, MatrixOrder order,
                          const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const std::int64_t stride = dof_stride(m);
  for (T* A : {to.by_q, to.by_v, to.mass})
    for (int r = 0; A && r < m.nv; ++r)
      for (int c = 0; c < m.nv; ++c) A[r * to.ld + c] = T(0);
  const auto motion = [&](const T* field, int k) { return load_dof_motion(field + k, dof_stride(m)); };
  const auto force = [&](const T* field, int k) { return load_dof_force(field + k, dof_stride(m)); };
  for (int k = 0; k < m.nv; ++k) {
    const Force<T> F_q = force(d.F_q, k), F_v = force(d.F_v, k), F = force(w.F_root, k);
    const Vec3<T> N = {d.N[k], d.N[stride + k], d.N[2 * stride + k]};
    for (int j = k; j >= 0; j = m.v_parent[j]) {
      const Motion<T> S = motion(w.S_root, j);
      const auto put = [&](T* A, const T& lower, const T& upper) {
        A[place_of(order, j, k, to.ld)] = upper, A[place_of(order, k, j, to.ld)] = lower;
      };
      if (to.by_q) put(to.by_q, dot(motion(d.psi_ddot, j), F) + dot(motion(d.psi_dot, j).w, N), dot(S, F_q));
      if (to.by_v) put(to.by_v, dot(motion(d.S_rate, j), F) + dot(S.w, N), dot(S, F_v));
      if (to.mass) put(to.mass, dot(S, F), dot(S, F));
    }
  }
}

// dtau_j/dq_k above the diagonal for the coordinates of one joint: its columns of S turn with it. Those of a floating
// root have it already.
template <class T>
inline void fill_within_joints(const ModelData& m, T* A, std::int64_t ld, MatrixOrder order,
                               const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m), roots = root > 0 ? 1 : 0;
  if (m.nv - root == m.node_count - roots) return;  // no other joint has two
  for (int i = roots; i < m.node_count; ++i) {
    const int first = m.nodes[i].v_index, end = end_of_dofs(m, i);
    if (end - first < 2) continue;
    for (int pack = first; pack < end; pack += 4) {
      const Motion<Lanes<T>> psi_ddot = load_motions(d.psi_ddot + pack, stride);
      const Motion<Lanes<T>> psi_dot = load_motions(d.psi_dot + pack, stride);
      for (int j = first; j + 1 < end; ++j) {
        const Force<Lanes<T>> F = spread(load_dof_force(w.F_root + j, stride));
        const Vec3<Lanes<T>> N = spread(Vec3<T>{d.N[j], d.N[stride + j], d.N[2 * stride + j]});
        const Lanes<T> x = dot(psi_ddot, F) + dot(psi_dot.w, N);
        unroll<4>([&](auto l) TENON_INLINE_LAMBDA {
          const int k = pack + l;
          if (j < k && k < end) A[place_of(order, j, k, ld)] = x.x[l.value];
        });
      }
    }
  }
}

// After sweep_motion at (q, v, a). summed: as derivative_forces. dq, dv, M: nv x nv with leading dimension ld; null: not wanted.
template <class T>
void rnea_derivatives(const ModelData& m, bool summed, const T* wrenches, T* dq, T* dv, T* M, int ld,
                      MatrixOrder order, DerivativeData<T>& d, WorkspaceData<T>& w) {
  if (summed)
    derivative_forces<true>(m, wrenches, d, w);
  else
    derivative_forces<false>(m, wrenches, d, w);
  const Matrices<T> to = {dq, dv, M, ld};
  if (!d.subtrees_adjoin)
    fill_by_paths(m, to, order, d, w);
  else if (order == MatrixOrder::rows)
    fill_wanted<MatrixOrder::rows>(m, to, d, w);
  else
    fill_wanted<MatrixOrder::columns>(m, to, d, w);
  if (dq) fill_within_joints(m, dq, ld, order, d, w);
  for (int k = 0; M && k < m.nv; ++k) {
    T& inertia = M[k + static_cast<std::int64_t>(k) * ld];
    inertia = inertia + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
