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

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/coriolis.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- motions of coordinates

template <class L>
struct DofMotions {
  Motion<L> S, psi_dot, psi_ddot, S_rate;
};

// What moves the parent of the body of coordinate k, gathered for k to k + W - 1: velocities, accelerations.
template <int W, class T>
TENON_INLINE Motion<Lanes<T, W>> gather_of_parents(const ModelData& m, const T* field, int k,
                                                   const WorkspaceData<T>& w) {
  return gather_packed<W>([&](int l) { return load_packed(field, m.nodes[body_of_dof(k + l, w)].parent); });
}
template <int W, class T>
TENON_INLINE Motion<Lanes<T, W>> accelerations_of_parents(const ModelData& m, int k,
                                                          const WorkspaceData<T>& w) {
  return gather_packed<W>([&](int l) {
    const int i = body_of_dof(k + l, w), parent = m.nodes[i].parent;
    // Each tree has its own root frame.
    return parent >= 0 ? load_packed(w.aw, parent)
                       : PackedMotion<T>{Lanes<T>(T(0)), packed_acceleration_at_rest(m, i, w)};
  });
}

// Of coordinates k to k + W - 1, after sweep_motion.
template <int W, class T>
TENON_INLINE DofMotions<Lanes<T, W>> dof_motions(const ModelData& m, int k, const WorkspaceData<T>& w) {
  DofMotions<Lanes<T, W>> x;
  x.S = load_motions<W>(w.S_root + k, dof_stride(m));
  const Motion<Lanes<T, W>> v_p = gather_of_parents<W>(m, w.vw, k, w);
  x.psi_dot = cross(v_p, x.S);
  x.psi_ddot = cross(accelerations_of_parents<W>(m, k, w), x.S) + cross(v_p, x.psi_dot);
  x.S_rate = x.psi_dot + cross(gather_of_dofs<W>(w.vw, k, w), x.S);
  return x;
}

template <class T>
TENON_INLINE VelocityInertia<T> twice(const VelocityInertia<T>& B) {
  return {B.rotation + B.rotation, B.momentum + B.momentum};
}
// The force on the subtree of the bodies of coordinates k to k + W - 1.
template <int W, class T>
TENON_INLINE Force<Lanes<T, W>> forces_of_dofs(const T* field, int k, const WorkspaceData<T>& w) {
  const Motion<Lanes<T, W>> f = gather_of_dofs<W>(field, k, w);
  return {f.w, f.v};
}

// What all kernels of derivatives begin with, after sweep_motion: inertias of bodies, and forces on their subtrees.
template <class T>
TENON_NOINLINE void place_subtree_forces(const ModelData& m, const T* wrenches, WorkspaceData<T>& w) {
  place_body_forces(m, wrenches, w);
  sum_over_subtrees<2>(m, w.fw);
}
// Calls each(i, I) with the inertias of bodies i to i + W - 1, as many as wide lanes hold.
template <class T, class Each>
TENON_INLINE void for_bodies(const ModelData& m, const WorkspaceData<T>& w, const Each& each) {
  constexpr int W = wide_count<T>;
  for (int i = 0; i < m.node_count; i += W) each(i, gather_inertias<W>(w, [&](int l) { return i + l; }));
}

// Fields over coordinates. After place_subtree_forces.
template <class T>
inline void derivative_forces(const ModelData& m, DerivativeData<T>& d, WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  for_bodies(m, w, [&](int i, const RigidInertia<L>& I) {
    store_velocity_inertias(i, velocity_inertia(I, gather_motion<W>(w.vw, i)), d.B);
  });
  sum_over_subtrees<3>(m, w.Ic);
  sum_over_subtrees<3>(m, d.B);
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += W) {
    const DofMotions<L> x = dof_motions<W>(m, k, w);
    const RigidInertia<L> I = load_inertias<W>(k, w);
    const VelocityInertia<L> B = twice(load_velocity_inertias<W>(k, d.B, w));
    const Force<L> f = forces_of_dofs<W>(w.fw, k, w);
    store_motions(d.psi_dot + k, stride, x.psi_dot);
    store_motions(d.psi_ddot + k, stride, x.psi_ddot);
    store_motions(d.S_rate + k, stride, x.S_rate);
    store_rows(d.F_q + k, stride, I * x.psi_ddot + B * x.psi_dot + cross_force(x.S, f));
    store_rows(d.F_v + k, stride, I * x.S_rate + B * x.S);
    store_rows(w.F_root + k, stride, I * x.S);
    store_lanes(d.N + k, stride, transposed_moment(B, x.S));
  }
}

// tau of inverse dynamics, whole packs. a: that of the motion. After a kernel below or of rnea_products.hpp.
template <class T>
void derivative_torques(const ModelData& m, const T* a, T* tau, WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += 4)
    dot(load_motions(w.S_root + k, stride), forces_of_dofs<4>(w.fw, k, w)).store(tau + k);
  for (int k = 0; k < m.nv; ++k) tau[k] = tau[k] + T(m.armature[k]) * a[k];
}

// ---- matrices

// The entries of a matrix for coordinates j and k of the subtree of j: below the diagonal motion_j . F_k +
// turning_j . N_k, above it S_j . force_k. Not read for the mass matrix, S_j . F_k on both sides.
template <class T>
struct PairFields {
  const T *motion, *turning, *force;
};

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows. Four
// columns are computed always. of_mass: see PairFields. is_unit: their columns of S are those of the identity. Row-major
// exchanges what is stored as it is and what is transposed.
template <bool of_mass, bool is_unit, MatrixOrder order, class T>
TENON_INLINE void fill_pairs(const PairFields<T>& x, long stride, int i, int columns, int end, T* A, long ld,
                             const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const auto fill_tile = [&](auto on_diagonal, int k) TENON_INLINE_LAMBDA {
    L lower[4][1], upper[4][1];
    const auto times_S = [&](L(&to)[4][1], const T* F) TENON_INLINE_LAMBDA {
      if constexpr (is_unit) {
        for (int c = 0; c < 4; ++c) to[c][0] = L::load(F + (i + c < 6 ? i + c : 5) * stride);
      } else {
        project(w.S_root + i, F, stride, to);
      }
    };
    if constexpr (of_mass) {
      times_S(lower, w.F_root + k);
      for (int c = 0; c < 4; ++c) upper[c][0] = lower[c][0];
    } else {
      times_S(upper, x.force + k);
      project(x.motion + i, w.F_root + k, stride, lower);
      project<3, true>(x.turning + i, d.N + k, stride, lower);
    }
    L(&along)[4][1] = order == MatrixOrder::rows ? upper : lower;
    L(&across)[4][1] = order == MatrixOrder::rows ? lower : upper;
    const int rows = end - k < W ? end - k : W;
    T *const below = A + k + i * ld, *const beside = A + i + k * ld;
    // Row r to lane 0, row r + 4 to lane 4.
    transpose(across[0][0], across[1][0], across[2][0], across[3][0]);
    // The lower part of one and the upper part of the other; the diagonal is that of `lower`, for the same bits in
    // both orders.
    if constexpr (on_diagonal) {
      unroll<4>([&](auto c) {
        constexpr int taken = c.value + (order == MatrixOrder::rows ? 1 : 0);
        along[c][0] = replace_first<taken>(along[c][0], across[c][0]);
      });
    }
    if (!stores_by_mask && !on_diagonal && W == 4 && rows == 4 &&
        columns == 4) {  // most tiles: without a question
      for (int e = 0; e < 4; ++e) along[e][0].store(below + e * ld), across[e][0].store(beside + e * ld);
      return;
    }
    unroll<4>([&](auto c) { store_some(along[c][0], c < columns ? rows : 0, below + c * ld); });
    unroll<W>([&](auto r) {
      const int count = r < rows && !(on_diagonal && r < columns) ? columns : 0;
      if constexpr (W == 4)
        store_some(across[r][0], count, beside + r * ld);
      else
        store_some(half_of<r / 4>(across[r % 4][0]), count, beside + r * ld);
    });
  };
  fill_tile(std::true_type{}, i);
  for (int k = i + W; k < end; k += W) fill_tile(std::false_type{}, k);
}

template <bool of_mass, MatrixOrder order, class T>
TENON_NOINLINE void fill_matrix(const ModelData& m, const PairFields<T>& x, T* A, long ld,
                                const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  // From the leaves to the root: each run writes its zeros first, then ancestors overwrite some of them.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    clear_gaps(run, A, ld);
    int i = run.first;
    for (; i < root && i < run.end; i += 4)
      fill_pairs<of_mass, true, order>(x, stride, i, root - i < 4 ? root - i : 4, run.subtree_end, A, ld, d,
                                       w);
    if (i > root && run.first < root) i = root;
    for (; i < run.end; i += 4)
      fill_pairs<of_mass, false, order>(x, stride, i, run.end - i < 4 ? run.end - i : 4, run.subtree_end, A,
                                        ld, d, w);
  }
}

// dtau_j/dq_k above the diagonal for the coordinates of one joint: its columns of S turn with it.
template <class T>
inline void fill_within_joints(const ModelData& m, T* A, long ld, MatrixOrder order,
                               const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  for (int i = 0; i < m.node_count; ++i) {
    const int first = m.nodes[i].v_index, end = end_of_dofs(m, i);
    for (int k = first + 1; k < end; ++k) {
      const Motion<T> psi_dot = load_dof_motion(d.psi_dot + k, stride),
                      psi_ddot = load_dof_motion(d.psi_ddot + k, stride);
      for (int j = first; j < k; ++j)
        A[place_of(order, j, k, ld)] = dot(psi_ddot, load_dof_force(w.F_root + j, stride)) +
                                       dot(psi_dot.w, Vec3<T>{d.N[j], d.N[stride + j], d.N[2 * stride + j]});
    }
  }
}

// After sweep_motion at (q, v, a). dq, dv, M: nv x nv with leading dimension ld; null: not wanted.
template <class T>
void rnea_derivatives(const ModelData& m, const T* wrenches, T* dq, T* dv, T* M, int ld, MatrixOrder order,
                      DerivativeData<T>& d, WorkspaceData<T>& w) {
  place_subtree_forces(m, wrenches, w);
  derivative_forces(m, d, w);
  const auto fill = [&](const PairFields<T>& x, T* A) {
    if (order == MatrixOrder::rows)
      fill_matrix<false, MatrixOrder::rows>(m, x, A, ld, d, w);
    else
      fill_matrix<false, MatrixOrder::columns>(m, x, A, ld, d, w);
  };
  if (dq) {
    fill({d.psi_ddot, d.psi_dot, d.F_q}, dq);
    fill_within_joints(m, dq, ld, order, d, w);
  }
  if (dv) fill({d.S_rate, w.S_root, d.F_v}, dv);
  if (!M) return;
  fill_matrix<true, MatrixOrder::columns>(m, PairFields<T>{}, M, ld, d, w);  // symmetric
  for (int k = 0; k < m.nv; ++k) {
    T& inertia = M[k + static_cast<long>(k) * ld];
    inertia = inertia + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
