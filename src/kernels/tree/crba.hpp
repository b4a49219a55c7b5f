// Composite-rigid-body algorithm: the joint-space inertia matrix M (Featherstone, RBDA 6.2), M_ij = S_i^T F_j
// with F_j = Ic_j S_j, for i on the path from j to the root.
//
// Computed in the root frame (root_frame_poses.hpp). There the entries below the diagonal in a column, S_i^T
// F_j for all j of the subtree of i, are six multiply-adds over contiguous F whatever the branching, because
// coordinates are numbered depth first; body frames need a planar rotation and a jump in memory for each
// pair. M is written in tiles, and each tile transposed across the diagonal, so both triangles hold the same
// numbers. Below a floating root, where S is the identity, the entries are F itself. Cost O(n d).
#pragma once

#include <cstdint>

#include "kernels/joint/root_frame_poses.hpp"
#include "kernels/tree/ltl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// F of a floating root, where S is the identity: its composite inertia (store_inertias) as a matrix.
template <class T>
TENON_INLINE void store_floating_forces(const T* Ic, T* F, int stride) {
  const T &xx = Ic[0], &xy = Ic[1], &xz = Ic[2], &hx = Ic[3], &yy = Ic[4], &yz = Ic[5], &zz = Ic[6];
  const T &hy = Ic[7], &hz = Ic[8], &mass = Ic[9], o(0);
  const auto store_row = [&](int e, const Lanes<T>& turning, const T& y, const T& z) {
    turning.store(F + e * stride);
    Lanes<T>(y, z, o, o).store(F + e * stride + 4);
  };
  store_row(0, Lanes<T>(xx, xy, xz, o), -hz, hy);
  store_row(1, Lanes<T>(xy, yy, yz, hz), o, -hx);
  store_row(2, Lanes<T>(xz, yz, zz, -hy), hx, o);
  store_row(3, Lanes<T>(o, hz, -hy, mass), o, o);
  store_row(4, Lanes<T>(-hz, o, hx, o), mass, o);
  store_row(5, Lanes<T>(hy, -hx, o, o), o, mass);
}

// F of every coordinate, from S and the inertias of the bodies, which are replaced by composite inertias.
template <class T>
TENON_INLINE void composite_forces(const ModelData& m, WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  sum_over_subtrees<3>(m, w.Ic);
  if (dofs_of_floating_root(m) > 0) store_floating_forces(w.Ic, w.F_root, stride);
  for (int k = dofs_of_floating_root(m); k < m.nv; k += 4) {
    const Force<Lanes<T>> F = load_inertias(k, w) * load_motions(w.S_root + k, stride);
    store_rows(w.F_root + k, stride, F);
  }
}

// Computes S and the inertias of the bodies from q alone.
template <class T>
TENON_INLINE void place_inertias(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  place_bodies(m, q, w);
  for (int i = 0; i < m.node_count; i += 4) store_inertias(i, body_inertias(i, w), w);
  place_subspaces(m, w);
}

// S and F from q alone.
template <class T>
inline void composite_forces(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  place_inertias(m, q, w);
  composite_forces(m, w);
}

// ---- path rows, for the factorisation (ltl.hpp)

// Puts S of a coordinate behind those of its ancestors, in six path vectors.
template <class T>
TENON_INLINE void put_on_path(T* path, int stride, int depth, const Motion<T>& S) {
  put_last(path, depth, S.w.x), put_last(path + stride, depth, S.w.y),
      put_last(path + 2 * stride, depth, S.w.z);
  path += 3 * stride;
  put_last(path, depth, S.v.x), put_last(path + stride, depth, S.v.y),
      put_last(path + 2 * stride, depth, S.v.z);
}
// S^T F for the path, from place j on.
template <class T>
TENON_INLINE Lanes<T> project_on_path(const T* path, int stride, int j, const Force<Lanes<T>>& F) {
  const auto S = [&](int e) { return Lanes<T>::load(path + e * stride + j); };
  return S(0) * F.n.x + S(1) * F.n.y + S(2) * F.n.z + S(3) * F.f.x + S(4) * F.f.y + S(5) * F.f.z;
}

// Path rows of M from S and F.
template <class T>
inline void project_rows(const ModelData& m, T* rows, WorkspaceData<T>& w) {
  const int stride = whole_packs(m.nv), dofs = dof_stride(m);
  clear_packs(w.S_path, 6 * stride);
  for (int p = 0; p < w.panel_count; ++p)
    with_panel_size(w.panels[p], [&](auto size) {
      constexpr int N = size.value;
      const PanelRows<N, T> M(rows, w.panels[p], w);
      // Bodies of a cluster are numbered before the branches that hang on them, so the path may be another
      // body's.
      if (m.cluster_count > 0)
        for (int i = m.v_parent[M.first], place = M.depth - 1; i >= 0; i = m.v_parent[i], --place)
          for (int e = 0; e < 6; ++e) w.S_path[e * stride + place] = w.S_root[e * dofs + i];
      for (int e = 0; e < 6; ++e) {
        const T* const S = w.S_root + e * dofs + M.first;
        T* const path = w.S_path + e * stride;
        if constexpr (N == 4) {
          Lanes<T>::load(S).store(path + M.pack);
        } else {
          T own[N];
          for (int r = 0; r < N; ++r) own[r] = S[r];
          put_panel_on_path(M, own, path);
        }
      }
      unroll<N>([&](auto r) {
        const int k = M.first + r.value, depth = M.depth + r.value;
        const Force<Lanes<T>> F = spread(load_dof_force(w.F_root + k, dofs));
        for (int j = 0; j < M.pack; j += 4) project_on_path(w.S_path, stride, j, F).store(M.row[r.value] + j);
        Lanes<T> last = project_on_path(w.S_path, stride, M.pack, F);
        if constexpr (r.value + 1 < N)
          last = lanes_before(last, depth + 1);  // the panel's others are behind it
        (last + Lanes<T>(T(m.armature[k])) * unit_lane<T>(depth)).store(M.row[r.value] + M.pack);
      });
    });
}

// The same from S and the inertias of the bodies.
template <class T>
inline void crba_rows(const ModelData& m, T* rows, WorkspaceData<T>& w) {
  composite_forces(m, w);
  project_rows(m, rows, w);
}

// The same from q alone.
template <class T>
inline void crba_rows(const ModelData& m, const T* q, T* rows, WorkspaceData<T>& w) {
  place_inertias(m, q, w);
  crba_rows(m, rows, w);
}

// ---- the full matrix

// M_ji = S_i^T F_j in lanes of W coordinates j a pack, for `columns` coordinates i. S, F: from the first i and j on.
// components: how many of the six are not zero in F. adds: to what x holds.
template <int components = 6, bool adds = false, int columns, int packs, class T, int W>
TENON_INLINE void project(const T* S, const T* F, std::int64_t stride, Lanes<T, W> (&x)[columns][packs]) {
  for (int e = 0; e < components; ++e, S += stride, F += stride) {
    Lanes<T, W> f[packs];
    for (int b = 0; b < packs; ++b) f[b] = Lanes<T, W>::load(F + W * b);
    for (int c = 0; c < columns; ++c) {
      const Lanes<T, W> s(S[c]);
      for (int b = 0; b < packs; ++b) x[c][b] = e == 0 && !adds ? s * f[b] : x[c][b] + s * f[b];
    }
  }
}

// Stores the first `rows` vectors of t, `count` numbers of each, ld numbers apart.
template <class T, int W>
TENON_INLINE void store_rows(const Lanes<T, W> (&t)[4], int rows, int count, T* to, std::int64_t ld) {
  unroll<4>([&](auto r) { store_some(t[r], r < rows ? count : 0, to + r * ld); });
}

// Writes `rows` rows from j on of columns i to i + columns - 1 from lanes, and the transpose. below: M_ji; right: M_ij.
template <int columns, class T>
TENON_INLINE void store_tile(const Lanes<T> (&x)[columns], int rows, T* below, T* right, std::int64_t ld) {
  Lanes<T> t[4];
  for (int c = 0; c < 4; ++c) t[c] = c < columns ? x[c] : Lanes<T>(T(0));
  store_rows(t, columns, rows, below, ld);
  transpose(t[0], t[1], t[2], t[3]);
  store_rows(t, rows, columns, right, ld);
}

// The tile on the diagonal; its lanes above the diagonal are undefined.
template <int columns, class T>
TENON_INLINE void store_diagonal_tile(const Lanes<T> (&x)[columns], int rows, T* M, std::int64_t ld) {
  Lanes<T> full[4], t[4];
  for (int c = 0; c < 4; ++c) full[c] = t[c] = c < columns ? x[c] : Lanes<T>(T(0));
  transpose(t[0], t[1], t[2], t[3]);
  full[1] = shuffle<4, 1, 2, 3>(full[1], t[1]);
  full[2] = shuffle<4, 5, 2, 3>(full[2], t[2]);
  full[3] = shuffle<4, 5, 6, 3>(full[3], t[3]);
  store_rows(full, columns, rows, M, ld);
  unroll<4>([&](auto r) {
    if (r >= columns && r < rows) store_first(t[r], columns, M + r * ld);
  });
}

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows.
template <int columns, class T>
TENON_INLINE void fill_columns(const T* S, const T* F, std::int64_t stride, int i, int end, T* M,
                               std::int64_t ld) {
  S += i, F += i, M += i * (ld + 1);
  int rows = end - i;
  Lanes<T> first[columns][1], tile[columns];
  project(S, F, stride, first);
  for (int c = 0; c < columns; ++c) tile[c] = first[c][0];
  store_diagonal_tile(tile, rows < 4 ? rows : 4, M, ld);
  T *below = M + 4, *right = M + 4 * ld;
  for (rows -= 4, F += 4; rows >= 8; rows -= 8, F += 8, below += 8, right += 8 * ld) {
    Lanes<T> x[columns][2];
    project(S, F, stride, x);
    for (int b = 0; b < 2; ++b) {
      for (int c = 0; c < columns; ++c) tile[c] = x[c][b];
      store_tile(tile, 4, below + 4 * b, right + 4 * b * ld, ld);
    }
  }
  for (; rows > 0; rows -= 4, F += 4, below += 4, right += 4 * ld) {
    Lanes<T> x[columns][1];
    project(S, F, stride, x);
    for (int c = 0; c < columns; ++c) tile[c] = x[c][0];
    store_tile(tile, rows < 4 ? rows : 4, below, right, ld);
  }
}

// The six columns and rows of a floating root, where S is the identity.
template <class T>
TENON_INLINE void fill_floating_root(const T* F, std::int64_t stride, int i, int end, T* M, std::int64_t ld) {
  F += i, M += i * (ld + 1);
  T *below = M, *right = M;
  for (int rows = end - i; rows > 0; rows -= 4, F += 4, below += 4, right += 4 * ld) {
    Lanes<T> x[6];
    for (int e = 0; e < 6; ++e) {
      x[e] = Lanes<T>::load(F + e * stride);
      store_first(x[e], rows < 4 ? rows : 4, below + e * ld);
    }
    Lanes<T> a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {x[2], x[3], x[4], x[5]};
    transpose(a[0], a[1], a[2], a[3]);
    transpose(b[0], b[1], b[2], b[3]);
    store_rows(a, rows, 4, right, ld);
    store_rows(b, rows, 4, right + 2, ld);
  }
}

// count zeros from `to` on.
template <class T>
TENON_INLINE void store_zeros(const Wide<T>& zero, T* to, int count) {
  constexpr int W = Wide<T>::count;
  if (count < W) return store_first(zero, count, to);
  // The last pack goes over the end of the one before, and the second over that of the first: those between are aligned.
  T* const last = to + count - W;
  zero.store(to);
  to += W - (reinterpret_cast<std::uintptr_t>(to) / sizeof(T)) % W;
  for (; to < last; to += W) zero.store(to);
  zero.store(last);
}
// Writes zeros for pairs on different branches; in the columns of a run they lie in its gap. Of some matrices with leading
// dimension ld.
template <class T, class... Matrix>
TENON_INLINE void clear_gaps(const DofRun& run, std::int64_t ld, T* first, Matrix*... others) {
  const Wide<T> zero = hidden(Wide<T>(T(0)));
  const int count = run.gap_end - run.gap_begin;
  if (count == 0) return;
  for (T* M : {first, others...})
    for (int k = run.first; k < run.end; ++k) store_zeros(zero, M + run.gap_begin + k * ld, count);
}

// M, column-major with leading dimension ld, both triangles.
template <class T>
void crba(const ModelData& m, const T* q, T* M, int ld_, WorkspaceData<T>& w) {
  composite_forces(m, q, w);
  const std::int64_t ld = ld_;
  const int stride = dof_stride(m);
  // From the leaves to the root: each run writes its zeros first, then ancestors overwrite some of them.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    clear_gaps(run, ld, M);
    const NodeData& n = m.nodes[m.v_node[run.first]];
    int i = run.first;
    if (n.parent < 0 && n.kind == joint_floating) {
      fill_floating_root(w.F_root, stride, i, run.subtree_end, M, ld);
      i += 6;
    }
    for (; i + 4 <= run.end; i += 4) fill_columns<4>(w.S_root, w.F_root, stride, i, run.subtree_end, M, ld);
    if (run.end - i == 1) fill_columns<1>(w.S_root, w.F_root, stride, i, run.subtree_end, M, ld);
    if (run.end - i == 2) fill_columns<2>(w.S_root, w.F_root, stride, i, run.subtree_end, M, ld);
    if (run.end - i == 3) fill_columns<3>(w.S_root, w.F_root, stride, i, run.subtree_end, M, ld);
    for (int k = run.first; k < run.end; ++k) M[k + k * ld] = M[k + k * ld] + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
