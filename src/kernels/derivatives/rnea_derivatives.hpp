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

// What all kernels of derivatives begin with, after sweep_motion: inertias of bodies, and forces on their subtrees.
template <class T>
TENON_NOINLINE void place_subtree_forces(const ModelData& m, const T* wrenches, WorkspaceData<T>& w) {
  place_body_forces(m, wrenches, w);
  sum_over_subtrees<2>(m, w.fw);
}
// Calls each(i, I) with the inertias of bodies i to i + 3.
template <class T, class Each>
TENON_INLINE void for_bodies(const ModelData& m, const WorkspaceData<T>& w, const Each& each) {
  for (int i = 0; i < m.node_count; i += 4) each(i, gather_inertias(w, [&](int l) { return i + l; }));
}

// Fields over coordinates. After place_subtree_forces.
template <class T>
inline void derivative_forces(const ModelData& m, DerivativeData<T>& d, WorkspaceData<T>& w) {
  for_bodies(m, w, [&](int i, const RigidInertia<Lanes<T>>& I) {
    store_velocity_inertias(i, velocity_inertia(I, gather_motion(w.vw, i)), d.B);
  });
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

// The entries of a matrix for coordinates j and k of the subtree of j: below the diagonal motion_j . F_k +
// turning_j . N_k, above it S_j . force_k. All null: the mass matrix, S_j . F_k on both sides.
template <class T>
struct PairFields {
  const T *motion, *turning, *force;
};

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows. Four
// columns are computed always. is_unit: their columns of S are those of the identity.
template <class T>
TENON_INLINE void fill_pairs(const PairFields<T>& x, bool is_unit, long stride, int i, int columns, int end,
                             T* A, long ld, const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  for (int k = i; k < end; k += 4) {
    Lanes<T> product[4][1], lower[4], upper[4];
    const auto project_to = [&](Lanes<T>(&to)[4], const T* S, const T* F) {
      if (is_unit) {
        for (int c = 0; c < 4; ++c) to[c] = Lanes<T>::load(F + (i + c < 6 ? i + c : 5) * stride);
        return;
      }
      project(S, F, stride, product);
      for (int c = 0; c < 4; ++c) to[c] = product[c][0];
    };
    if (x.turning) {
      project_to(upper, w.S_root + i, x.force + k);
      project(x.motion + i, w.F_root + k, stride, product);
      project<3, true>(x.turning + i, d.N + k, stride, product);
      for (int c = 0; c < 4; ++c) lower[c] = product[c][0];
    } else {
      project_to(lower, w.S_root + i, w.F_root + k);
      for (int c = 0; c < 4; ++c) upper[c] = lower[c];
    }
    const int rows = end - k < 4 ? end - k : 4;
    T *const below = A + k + i * ld, *const beside = A + i + k * ld;
    transpose(upper[0], upper[1], upper[2], upper[3]);
    if (k > i) {
      store_rows(lower, columns, rows, below, ld);
      store_rows(upper, rows, columns, beside, ld);
      continue;
    }
    // The tile on the diagonal: the lower part of one and the upper part of the other.
    lower[1] = shuffle<4, 1, 2, 3>(lower[1], upper[1]);
    lower[2] = shuffle<4, 5, 2, 3>(lower[2], upper[2]);
    lower[3] = shuffle<4, 5, 6, 3>(lower[3], upper[3]);
    store_rows(lower, columns, rows, below, ld);
    unroll<4>([&](auto r) {
      if (r >= columns && r < rows) store_first(upper[r], columns, beside + r * ld);
    });
  }
}

template <class T>
TENON_NOINLINE void fill_matrix(const ModelData& m, const PairFields<T>& x, T* A, long ld,
                                const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  // From the leaves to the root: each run writes its zeros first, then ancestors overwrite some of them.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    clear_gaps(run, A, ld);
    for (int i = run.first, next; i < run.end; i = next) {
      const bool is_unit = i < root;
      const int end = is_unit ? root : run.end;
      next = end - i < 4 ? end : i + 4;
      fill_pairs(x, is_unit, stride, i, next - i, run.subtree_end, A, ld, d, w);
    }
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
  place_subtree_forces(m, wrenches, w);
  derivative_forces(m, d, w);
  if (dq) {
    fill_matrix(m, {d.psi_ddot, d.psi_dot, d.F_q}, dq, ld, d, w);
    fill_within_joints(m, dq, ld, d, w);
  }
  if (dv) fill_matrix(m, {d.S_rate, w.S_root, d.F_v}, dv, ld, d, w);
  if (!M) return;
  fill_matrix(m, PairFields<T>{}, M, ld, d, w);
  for (int k = 0; k < m.nv; ++k) {
    T& inertia = M[k + static_cast<long>(k) * ld];
    inertia = inertia + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
