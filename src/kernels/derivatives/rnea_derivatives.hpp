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

// Whether those of the coordinates k to k + W - 1 that there are, are of joints with one coordinate.
template <int W, class T>
TENON_INLINE bool are_single(const ModelData& m, int k, const WorkspaceData<T>& w) {
  const int end = k + W < m.nv ? k + W : m.nv, first = body_of_dof(k, w), last = body_of_dof(end - 1, w);
  return m.nodes[first].v_index == k && end_of_dofs(m, last) == end && last - first == end - k - 1;
}

// Of coordinates k to k + W - 1, after sweep_motion.
template <int W, class T>
TENON_INLINE DofMotions<Lanes<T, W>> dof_motions(const ModelData& m, int k, const WorkspaceData<T>& w) {
  DofMotions<Lanes<T, W>> x;
  x.S = load_motions<W>(w.S_root + k, dof_stride(m));
  if (are_single<W>(m, k, w)) {
    // S annuls itself: that of the body itself turns S as the parent's does.
    const Motion<Lanes<T, W>> v = gather_of_dofs<W>(w.vw, k, w);
    x.psi_dot = cross(v, x.S);
    x.psi_ddot = cross(gather_of_dofs<W>(w.aw, k, w), x.S) + cross(v, x.psi_dot);
    x.S_rate = x.psi_dot + x.psi_dot;
    return x;
  }
  const Motion<Lanes<T, W>> v_p = gather_of_parents<W>(m, w.vw, k, w);
  x.psi_dot = cross(v_p, x.S);
  x.psi_ddot = cross(accelerations_of_parents<W>(m, k, w), x.S) + cross(v_p, x.psi_dot);
  x.S_rate = x.psi_dot + cross(gather_of_dofs<W>(w.vw, k, w), x.S);
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

// Fields over coordinates.
template <class T>
inline void derivative_forces(const ModelData& m, const T* wrenches, DerivativeData<T>& d,
                              WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  place_subtree_forces(m, wrenches, w, [&](int i, const RigidInertia<L>& I, const Motion<L>& v) {
    store_velocity_inertias(i, velocity_inertia(I, v), d.B);
  });
  sum_over_subtrees<3>(m, w.Ic);
  sum_over_subtrees<3>(m, d.B);
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  for (int k = 0; k < m.nv; k += W) {
    const DofMotions<L> x = dof_motions<W>(m, k, w);
    const RigidInertia<L> I = load_inertias<W>(k, w);
    const VelocityInertia<L> B = twice(load_velocity_inertias<W>(k, d.B, w));
    const Force<L> f = forces_of_dofs<W>(w.fw, k, w);
    store_motions(d.psi_dot + k, stride, x.psi_dot);
    store_motions(d.psi_ddot + k, stride, x.psi_ddot);
    store_motions(d.S_rate + k, stride, x.S_rate);
    Force<L> F_q = I * x.psi_ddot + B * x.psi_dot;
    // Of a floating root it is read for pairs of its own coordinates alone, whose S turns with them.
    F_q = F_q + cross_force(x.S, k < root ? without_first(f, root - k) : f);
    store_rows(d.F_q + k, stride, F_q);
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

// The matrices that one pass over pairs of coordinates writes. What they share is loaded once.
template <bool by_q_, bool by_v_, bool mass_>
struct MatrixSet {
  static constexpr bool by_q = by_q_, by_v = by_v_, mass = mass_;
};
template <class T>
struct Matrices {
  T *by_q, *by_v, *mass;
  long ld;
};
// Calls each(matrix) for those of a set.
template <class Set, class T, class Each>
TENON_INLINE void for_matrices(const Matrices<T>& to, const Each& each) {
  if constexpr (Set::by_q) each(to.by_q);
  if constexpr (Set::by_v) each(to.by_v);
  if constexpr (Set::mass) each(to.mass);
}

// The entries of one matrix for four coordinates j and W coordinates k of their subtree, in lanes of k: (k, j) and (j, k).
template <class L>
struct PairEntries {
  L lower[4], upper[4];
};

// Stores them: columns i to i + columns - 1, rows k to k + rows - 1 of A, and the transpose. Row-major exchanges what is
// stored as it is and what is transposed. On the diagonal (k = i) what is above it is taken from `upper`, the diagonal
// itself from `lower`, for the same bits in both orders.
template <MatrixOrder order, bool on_diagonal, class L, class T>
TENON_INLINE void store_pairs(PairEntries<L>& x, int i, int columns, int k, int rows, T* A, long ld) {
  constexpr int W = L::count;
  L(&along)[4] = order == MatrixOrder::rows ? x.upper : x.lower;
  L(&across)[4] = order == MatrixOrder::rows ? x.lower : x.upper;
  T *const below = A + k + i * ld, *const beside = A + i + k * ld;
  // Row r to lane 0, row r + 4 to lane 4.
  transpose(across[0], across[1], across[2], across[3]);
  const auto row = [&](auto r) TENON_INLINE_LAMBDA {
    if constexpr (W == 4)
      return across[r];
    else
      return half_of<r / 4>(across[r % 4]);
  };
  if constexpr (!on_diagonal) {
    if (rows == W && columns == 4) {  // most: without a question
      for (int c = 0; c < 4; ++c) along[c].store(below + c * ld);
      unroll<W>([&](auto r) { row(r).store(beside + r * ld); });
      return;
    }
  } else {
    unroll<4>([&](auto c) {
      constexpr int taken = c.value + (order == MatrixOrder::rows ? 1 : 0);
      along[c] = replace_first<taken>(along[c], across[c]);
    });
  }
  unroll<4>([&](auto c) { store_some(along[c], c < columns ? rows : 0, below + c * ld); });
  if (on_diagonal && rows <= columns) return;
  unroll<W>([&](auto r) {
    store_some(row(r), r < rows && !(on_diagonal && r < columns) ? columns : 0, beside + r * ld);
  });
}

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows. Four
// columns are computed always. is_unit: their columns of S are those of the identity.
template <class Set, bool is_unit, MatrixOrder order, class T>
TENON_INLINE void fill_pairs(long stride, int i, int columns, int end, const Matrices<T>& to,
                             const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const auto fill_tile = [&](auto on_diagonal, int k) TENON_INLINE_LAMBDA {
    PairEntries<L> by_q, by_v, mass;
    // to[c] += the numbers of four coordinates times that of the pack.
    const auto add = [&](auto first, L(&sum)[4], const T* numbers, const L& x) TENON_INLINE_LAMBDA {
      for (int c = 0; c < 4; ++c) {
        const L product = L(numbers[c]) * x;
        sum[c] = first ? product : sum[c] + product;
      }
    };
    unroll<6>([&](auto e) TENON_INLINE_LAMBDA {
      constexpr std::bool_constant<e.value == 0> first{};
      const long component = e * stride;
      const L F = L::load(w.F_root + component + k);
      if constexpr (!is_unit) {
        const T* const S = w.S_root + component + i;
        if constexpr (Set::by_q) add(first, by_q.upper, S, L::load(d.F_q + component + k));
        if constexpr (Set::by_v) add(first, by_v.upper, S, L::load(d.F_v + component + k));
        if constexpr (Set::mass) add(first, mass.lower, S, F);
      }
      if constexpr (Set::by_q) add(first, by_q.lower, d.psi_ddot + component + i, F);
      if constexpr (Set::by_v) add(first, by_v.lower, d.S_rate + component + i, F);
    });
    unroll<Set::by_q || Set::by_v ? 3 : 0>([&](auto e) TENON_INLINE_LAMBDA {
      const L N = L::load(d.N + e * stride + k);
      if constexpr (Set::by_q && !is_unit)
        add(std::false_type{}, by_q.lower, d.psi_dot + e * stride + i, N);  // zero of what hangs on the world
      if constexpr (Set::by_v) add(std::false_type{}, by_v.lower, w.S_root + e * stride + i, N);
    });
    if constexpr (is_unit) {
      for (int c = 0; c < 4; ++c) {
        const long from = (i + c < 6 ? i + c : 5) * stride + k;
        if constexpr (Set::by_q) by_q.upper[c] = L::load(d.F_q + from);
        if constexpr (Set::by_v) by_v.upper[c] = L::load(d.F_v + from);
        if constexpr (Set::mass) mass.lower[c] = L::load(w.F_root + from);
      }
    }
    const int rows = end - k < W ? end - k : W;
    constexpr bool diagonal = decltype(on_diagonal)::value;
    if constexpr (Set::by_q) store_pairs<order, diagonal>(by_q, i, columns, k, rows, to.by_q, to.ld);
    if constexpr (Set::by_v) store_pairs<order, diagonal>(by_v, i, columns, k, rows, to.by_v, to.ld);
    if constexpr (Set::mass) {
      for (int c = 0; c < 4; ++c) mass.upper[c] = mass.lower[c];
      store_pairs<order, diagonal>(mass, i, columns, k, rows, to.mass, to.ld);
    }
  };
  fill_tile(std::true_type{}, i);
  for (int k = i + W; k < end; k += W) fill_tile(std::false_type{}, k);
}

template <class Set, MatrixOrder order, class T>
TENON_NOINLINE void fill_matrices(const ModelData& m, const Matrices<T>& to, const DerivativeData<T>& d,
                                  const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  // From the leaves to the root: each run writes its zeros first, then ancestors overwrite some of them.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    for_matrices<Set>(to, [&](T* A) { clear_gaps(run, A, to.ld); });
    int i = run.first;
    for (; i < root && i < run.end; i += 4)
      fill_pairs<Set, true, order>(stride, i, root - i < 4 ? root - i : 4, run.subtree_end, to, d, w);
    if (i > root && run.first < root) i = root;
    for (; i < run.end; i += 4)
      fill_pairs<Set, false, order>(stride, i, run.end - i < 4 ? run.end - i : 4, run.subtree_end, to, d, w);
  }
}

// The matrices that are wanted. With eight lanes a register holds, one pass has the registers for all of them.
template <MatrixOrder order, class T>
void fill_wanted(const ModelData& m, const Matrices<T>& to, const DerivativeData<T>& d,
                 const WorkspaceData<T>& w) {
  const auto fill = [&](auto set) { fill_matrices<decltype(set), order>(m, to, d, w); };
  bool mass = to.mass, done = false;
  if constexpr (wide_count<T> == 8) {
    if ((done = to.by_q && to.by_v))
      mass ? fill(MatrixSet<true, true, true>{}) : fill(MatrixSet<true, true, false>{});
    mass = mass && !done;
  }
  if (to.by_q && !done) fill(MatrixSet<true, false, false>{});
  if (to.by_v && !done) fill(MatrixSet<false, true, false>{});
  if (mass) fill(MatrixSet<false, false, true>{});
}

// The same from each coordinate along its path to the root, however bodies are numbered.
template <class T>
inline void fill_by_paths(const ModelData& m, const Matrices<T>& to, MatrixOrder order,
                          const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const long stride = dof_stride(m);
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
// root have it by its F_q.
template <class T>
inline void fill_within_joints(const ModelData& m, T* A, long ld, MatrixOrder order,
                               const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m), roots = root > 0 ? 1 : 0;
  if (m.nv - root == m.node_count - roots) return;  // no other joint has two
  for (int i = roots; i < m.node_count; ++i) {
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
  derivative_forces(m, wrenches, d, w);
  const Matrices<T> to = {dq, dv, M, ld};
  if (!d.subtrees_adjoin)
    fill_by_paths(m, to, order, d, w);
  else if (order == MatrixOrder::rows)
    fill_wanted<MatrixOrder::rows>(m, to, d, w);
  else
    fill_wanted<MatrixOrder::columns>(m, to, d, w);
  if (dq) fill_within_joints(m, dq, ld, order, d, w);
  for (int k = 0; M && k < m.nv; ++k) {
    T& inertia = M[k + static_cast<long>(k) * ld];
    inertia = inertia + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
