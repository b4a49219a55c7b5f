// First derivatives of inverse dynamics of a tree (S. Singh, R. Russo, P. Wensing, Efficient analytical derivatives of
// rigid-body dynamics using spatial vector algebra, RA-L 2022), by tangents of configurations: q moves as integrate()
// moves it, in child axes.
//
// All vectors are in the root frame (joint/root_frame_poses.hpp), which stays where it is at this instant. For a
// coordinate k of body i with parent p, with I, B, f summed over the subtree of i (B: tree/coriolis.hpp; f the force that
// moves it, external wrenches that turn with their links taken off):
//
//   psi_dot = v_p x S,  psi_ddot = a_p x S + v_p x psi_dot,  S_rate = psi_dot + v_i x S,  F = I S
//   F_q = I psi_ddot + 2 B psi_dot + S x* f,  F_v = I S_rate + 2 B S,  N = 2 B^T S
//
// Where q_k moves, the bodies of the subtree turn by S, as they see it their velocity changes by psi_dot and their
// acceleration by psi_ddot, at first order. So for k in the subtree of j
//
//   dtau_j/dq_k = S_j . F_q_k                        dtau_j/dv_k = S_j . F_v_k            M_jk = S_j . F_k
//   dtau_k/dq_j = psi_ddot_j . F_k + psi_dot_j . N_k    dtau_k/dv_j = S_rate_j . F_k + S_j . N_k
//
// and within one joint the lower formula holds for all pairs, because a joint turns its own columns of S too. B^T annuls
// forces, so N is a moment. Cost O(n d).
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/coriolis.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- motions of coordinates

template <class T>
struct DofMotions {
  Motion<Lanes<T>> S, psi_dot, psi_ddot, S_rate;
};

// What moves the parent of the body of coordinate k, gathered for k to k + 3: velocities, accelerations.
template <class T>
TENON_INLINE Motion<Lanes<T>> gather_of_parents(const ModelData& m, const T* field, int k,
                                                const WorkspaceData<T>& w) {
  return gather_packed([&](int l) { return load_packed(field, m.nodes[body_of_dof(k + l, w)].parent); });
}
template <class T>
TENON_INLINE Motion<Lanes<T>> accelerations_of_parents(const ModelData& m, int k, const WorkspaceData<T>& w) {
  return gather_packed([&](int l) {
    const int i = body_of_dof(k + l, w), parent = m.nodes[i].parent;
    // Each tree has its own root frame.
    return parent >= 0 ? load_packed(w.aw, parent)
                       : PackedMotion<T>{Lanes<T>(T(0)), packed_acceleration_at_rest(m, i, w)};
  });
}

// Of coordinates k to k + 3, after sweep_motion.
template <class T>
TENON_INLINE DofMotions<T> dof_motions(const ModelData& m, int k, const WorkspaceData<T>& w) {
  DofMotions<T> x;
  x.S = load_motions(w.S_root + k, dof_stride(m));
  const Motion<Lanes<T>> v_p = gather_of_parents(m, w.vw, k, w);
  x.psi_dot = cross(v_p, x.S);
  x.psi_ddot = cross(accelerations_of_parents(m, k, w), x.S) + cross(v_p, x.psi_dot);
  x.S_rate = x.psi_dot + cross(gather_of_dofs(w.vw, k, w), x.S);
  return x;
}

template <class T>
TENON_INLINE VelocityInertia<T> twice(const VelocityInertia<T>& B) {
  return {B.rotation + B.rotation, B.momentum + B.momentum};
}
// The force on the subtree of the bodies of coordinates k to k + 3.
template <class T>
TENON_INLINE Force<Lanes<T>> forces_of_dofs(const T* field, int k, const WorkspaceData<T>& w) {
  const Motion<Lanes<T>> f = gather_of_dofs(field, k, w);
  return {f.w, f.v};
}

// Fields over coordinates. After sweep_motion.
template <class T>
inline void derivative_forces(const ModelData& m, const T* wrenches, DerivativeData<T>& d,
                              WorkspaceData<T>& w) {
  place_body_forces(m, wrenches, w, [&](int i, const RigidInertia<Lanes<T>>& I) {
    store_inertias(i, I, w);
    store_velocity_inertias(i, velocity_inertia(I, gather_motion(w.vw, i)), d.B);
  });
  sum_over_subtrees<2>(m, w.fw);
  sum_over_subtrees<3>(m, w.Ic);
  sum_over_subtrees<3>(m, d.B);
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += 4) {
    const DofMotions<T> x = dof_motions(m, k, w);
    const RigidInertia<Lanes<T>> I = load_inertias(k, w);
    const VelocityInertia<Lanes<T>> B = twice(load_velocity_inertias(k, d.B, w));
    const Force<Lanes<T>> f = forces_of_dofs(w.fw, k, w);
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
    dot(load_motions(w.S_root + k, stride), forces_of_dofs(w.fw, k, w)).store(tau + k);
  for (int k = 0; k < m.nv; ++k) tau[k] = tau[k] + T(m.armature[k]) * a[k];
}

// ---- matrices

// The entries of a derivative for coordinates j and k of the subtree of j: below the diagonal motion_j . F_k +
// turning_j . N_k, above it S_j . force_k.
template <class T>
struct PairFields {
  const T *motion, *turning, *force;
};

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows.
template <int columns, class T>
TENON_INLINE void fill_pairs(const PairFields<T>& x, long stride, int i, int end, T* A, long ld,
                             const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  for (int k = i; k < end; k += 4) {
    Lanes<T> below[columns][1], right[columns][1], lower[columns], upper[columns];
    project(x.motion + i, w.F_root + k, stride, below);
    project<3, true>(x.turning + i, d.N + k, stride, below);
    project(w.S_root + i, x.force + k, stride, right);
    for (int c = 0; c < columns; ++c) lower[c] = below[c][0], upper[c] = right[c][0];
    const int rows = end - k < 4 ? end - k : 4;
    if (k == i)
      store_diagonal_tile(lower, upper, rows, A + i * (ld + 1), ld);
    else
      store_tile(lower, upper, rows, A + k + i * ld, A + i + k * ld, ld);
  }
}

template <class T>
TENON_INLINE void fill_derivative(const ModelData& m, const PairFields<T>& x, T* A, long ld,
                                  const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  // From the leaves to the root, as fill_mass_matrix.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    clear_gaps(run, A, ld);
    fill_run(run.first, run, [&](int i, auto count) TENON_INLINE_LAMBDA {
      fill_pairs<count.value>(x, stride, i, run.subtree_end, A, ld, d, w);
    });
  }
}

// dtau_j/dq_k above the diagonal for the coordinates of one joint: its columns of S turn with it.
template <class T>
inline void fill_within_joints(const ModelData& m, T* A, long ld, const DerivativeData<T>& d,
                               const WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  for (int i = 0; i < m.node_count; ++i) {
    const int first = m.nodes[i].v_index, end = end_of_dofs(m, i);
    for (int k = first + 1; k < end; ++k) {
      const Motion<T> psi_dot = load_dof_motion(d.psi_dot + k, stride),
                      psi_ddot = load_dof_motion(d.psi_ddot + k, stride);
      for (int j = first; j < k; ++j)
        A[j + k * ld] = dot(psi_ddot, load_dof_force(w.F_root + j, stride)) +
                        dot(psi_dot.w, Vec3<T>{d.N[j], d.N[stride + j], d.N[2 * stride + j]});
    }
  }
}

// After sweep_motion at (q, v, a). dq, dv, M: nv x nv, column-major with leading dimension ld; null: not wanted.
template <class T>
void rnea_derivatives(const ModelData& m, const T* wrenches, T* dq, T* dv, T* M, int ld, DerivativeData<T>& d,
                      WorkspaceData<T>& w) {
  derivative_forces(m, wrenches, d, w);
  if (dq) {
    fill_derivative(m, {d.psi_ddot, d.psi_dot, d.F_q}, dq, ld, d, w);
    fill_within_joints(m, dq, ld, d, w);
  }
  if (dv) fill_derivative(m, {d.S_rate, w.S_root, d.F_v}, dv, ld, d, w);
  if (M) fill_mass_matrix(m, M, ld, w);
}

TENON_ISA_END
}  // namespace tenon
