// The damped inverse of the Delassus matrix without a factor of it (cABA-OSIM, [CABA] Alg. 5):
//
//   Lambda_mu = (J M^-1 J^T + E)^-1,   E = R + 1 / mu  per row
//
// Alg. 5 adds K^T mu K to the inertia of each constrained link and takes mu - mu J M_mu^-1 J^T mu at the end
// (Eq. 44): a difference of numbers of the size of mu, which loses as many digits. Here constraints enter the
// inertias by the same matrix inversion lemma, but where it costs nothing: not on their link, but at the
// other end of its segment, the nearest link towards the world that has constraints on more than one side.
// There, with P and Omega of the segment ([OSIMR] Eq. 9, 11; 6 x 6, or K of the link carried at once where it
// has six rows or fewer),
//
//   A = K Omega K^T + E,   Phi = P K^T A^-1 K P^T   is added to the articulated inertia,
//   lambda = A^-1 (b - K Omega F) - G a_parent,       G = A^-1 K P^T,
//
// F the forces from what hangs on the link. A stays of the size of a Delassus matrix, so that no mu is in
// sums with inertias, unless a segment has fewer joints than its link has rows: such rows see E alone in the
// directions that the segment cannot move. The error of the result is about (rounding) x max(1, mu s) there,
// s their Delassus diagonal, where Alg. 5 has it everywhere.
//
// Outwards the response Psi of each such link to a force on it, the rest of the robot and all constraints at
// work, and the blocks of Lambda_mu: rows i, j that part at link p
//
//   -G_i Psi_p G_j^T,   and A^-1 - G Psi_parent G^T for rows of one link,
//
// with G carried to p. O(n + m^2): each step over a segment is of fixed size, each pair of rows costs six
// products. More than six rows on a link have six combinations of E^-1/2 K that stand for all (Householder).
#pragma once

#include <cmath>

#include "kernels/articulated_inertia.hpp"
#include "kernels/caba_osim_data.hpp"
#include "kernels/fill_columns.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- 6 x 6 matrices in rows of eight
// --------------------------------------------------------------------------------------

template <class T>
struct Row8 {
  Lanes<T> x[2];
};
template <class T>
TENON_INLINE Row8<T> load_row(const T* p) {
  return {{Lanes<T>::load(p), Lanes<T>::load(p + 4)}};
}
template <class T>
TENON_INLINE void store(T* p, const Row8<T>& r) {
  r.x[0].store(p), r.x[1].store(p + 4);
}
template <class T>
TENON_INLINE Row8<T> operator+(const Row8<T>& a, const Row8<T>& b) {
  return {{a.x[0] + b.x[0], a.x[1] + b.x[1]}};
}
template <class T>
TENON_INLINE Row8<T> operator-(const Row8<T>& a, const Row8<T>& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1]}};
}
template <class T>
TENON_INLINE Row8<T> operator*(const T& s, const Row8<T>& a) {
  return {{Lanes<T>(s) * a.x[0], Lanes<T>(s) * a.x[1]}};
}
// x^T B, B 6 x 8.
template <class T>
TENON_INLINE Row8<T> row_times(const T* x, const T* B) {
  Row8<T> sum = x[0] * load_row(B);
  for (int k = 1; k < 6; ++k) sum = sum + x[k] * load_row(B + 8 * k);
  return sum;
}
template <class T>
TENON_INLINE void transpose6(const T* A, T* B) {
  for (int r = 0; r < 6; ++r) {
    for (int e = 0; e < 6; ++e) B[8 * r + e] = A[8 * e + r];
    B[8 * r + 6] = B[8 * r + 7] = T(0);
  }
}

// G := sum of inv_d[q] W_q W_q^T over columns of eight numbers, both triangles; with one pack the rest is
// zero.
template <class T>
TENON_INLINE void weighted_gram(const T* W, const T* inv_d, int columns, int packs, T* G) {
  using V = Lanes<T>;
  V low[4], mixed[4], high[2];
  for (int j = 0; j < 4; ++j) low[j] = mixed[j] = V(T(0));
  high[0] = high[1] = V(T(0));
  for (int q = 0; q < columns; ++q) {
    const T* x = W + 8 * q;
    const V first = V(inv_d[q]) * V::load(x);
    for (int j = 0; j < 4; ++j) low[j] = low[j] + first * V(x[j]);
    if (packs == 1) continue;
    const V second = V(inv_d[q]) * V::load(x + 4);
    for (int j = 0; j < 4; ++j) mixed[j] = mixed[j] + second * V(x[j]);
    for (int j = 0; j < 2; ++j) high[j] = high[j] + second * V(x[4 + j]);
  }
  for (int j = 0; j < 4; ++j) low[j].store(G + 8 * j), mixed[j].store(G + 8 * j + 4);
  for (int j = 0; j < 2; ++j) {
    high[j].store(G + 8 * (4 + j) + 4);
    for (int i = 0; i < 4; ++i) G[8 * (4 + j) + i] = G[8 * i + 4 + j];
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < j; ++i) G[8 * j + i] = G[8 * i + j];
}

// ---- inward: the segments
// ------------------------------------------------------------------------------------------------

// IA of a link = C D C^T, C unit lower triangular: its axes. The larger mu, the closer to singular are the
// responses Omega and Psi of a link whose constraints lend it inertia of the size of mu: in the frame of the
// body their entries would round that away, and gains of the size of mu would multiply the error twice. As
// C^T Psi C, found from columns of C carried along the segment instead of the identity, each entry keeps its
// digits.
template <class T>
TENON_INLINE void find_axes(const ArticulatedInertia<T>& IA, T* C) {
  const T negligible(1e-12);
  const T H[6][6] = {{IA.I.xx},
                     {IA.I.xy, IA.I.yy},
                     {IA.I.xz, IA.I.yz, IA.I.zz},
                     {IA.H.xx, IA.H.yx, IA.H.zx, IA.M.xx},
                     {IA.H.xy, IA.H.yy, IA.H.zy, IA.M.xy, IA.M.yy},
                     {IA.H.xz, IA.H.yz, IA.H.zz, IA.M.xz, IA.M.yz, IA.M.zz}};
  T d[6], inv_d[6];
  for (int e = 0; e < 48; ++e) C[e] = T(0);
  for (int j = 0; j < 6; ++j) {
    d[j] = H[j][j];
    for (int k = 0; k < j; ++k) d[j] = d[j] - d[k] * C[8 * j + k] * C[8 * j + k];
    // A massless direction needs no axis of its own.
    inv_d[j] = d[j] > negligible * H[j][j] ? T(1) / d[j] : T(0);
    C[9 * j] = T(1);
    for (int i = j + 1; i < 6; ++i) {
      T x = H[i][j];
      for (int k = 0; k < j; ++k) x = x - C[8 * i + k] * (d[k] * C[8 * j + k]);
      C[8 * i + j] = inv_d[j] * x;
    }
  }
}
// Rows of motions (transposed) from the frame of the body to the axes C: x := C^-1 x.
template <class T>
TENON_INLINE void to_axes(const T* C, T* x) {
  for (int e = 1; e < 6; ++e) {
    Row8<T> sum = load_row(x + 8 * e);
    for (int k = 0; k < e; ++k) sum = sum - C[8 * e + k] * load_row(x + 8 * k);
    store(x + 8 * e, sum);
  }
}

template <class T>
TENON_INLINE void start_segment(int l, const ArticulatedInertia<T>& IA, CabaOsimData<T>& d,
                                const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  if (link.carries_rows) {
    const int rows = link.row_end - link.row_begin;
    for (int e = 0; e < 6; ++e)
      for (int j = 0; j < 8; ++j) d.carried[8 * e + j] = j < rows ? w.K[6 * (link.row_begin + j) + e] : T(0);
    return;
  }
  T* C = d.axes + 48 * l;
  find_axes(IA, C);
  for (int e = 0; e < 48; ++e) d.carried[e] = C[e];
  if (!link.inner) return;
  for (int child = l - 1; child >= 0; child = d.links[child].next) {
    to_axes(C, d.gain + 48 * child);
    if (d.links[child].inner) to_axes(C, d.propagate + 48 * child);
  }
}

// What is carried, past joint i and into the parent's frame. Returns the joint's number of columns.
template <class T>
TENON_INLINE int carry_past_joint(const ModelData& m, int i, int lanes, int column, CabaOsimData<T>& d,
                                  const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  T* W = d.segment_W + 8 * column;
  int columns = 0;
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    columns = J::nv;
    const RowJoint<J, T> past(n, w);
    const auto X = spread(J::load(n, i, w));
    for (int r = 0; r < J::nv; ++r) d.segment_inv_d[column + r] = past.d_inv[r];
    for (int lane = 0; lane < lanes; lane += 4) {
      const Force<Lanes<T>> K = load_rows(d.carried + lane, 8);
      Lanes<T> x[J::nv];
      past.project(K, x);
      for (int r = 0; r < J::nv; ++r) x[r].store(W + 8 * r + lane);
      if (n.parent >= 0) store_rows(d.carried + lane, 8, force_to_parent(X, past.pass(K, x)));
    }
  });
  return columns;
}

// L D L^T of A (rows x rows, lower triangle of 6 x 8), unit L below the diagonal, 1 / D on it.
template <class T>
TENON_INLINE void factor_rows(int rows, T* A) {
  for (int j = 0; j < rows; ++j) {
    T* a = A + 8 * j;
    T pivot = a[j];
    for (int k = 0; k < j; ++k) {
      const T x = a[k];
      a[k] = x * A[9 * k];
      pivot = pivot - x * a[k];
    }
    for (int i = j + 1; i < rows; ++i) {
      T x = A[8 * i + j];
      for (int k = 0; k < j; ++k) x = x - A[8 * i + k] * a[k];
      A[8 * i + j] = x;
    }
    a[j] = T(1) / pivot;
  }
}

// stack: rows of `parts` blocks of eight. In two steps, so that what stands between can be read:
// L^-1 stack, then L^-T D^-1 of that.
template <int parts, class T>
TENON_INLINE void substitute_forward(int rows, const T* A, T* stack) {
  for (int r = 1; r < rows; ++r) {
    for (int part = 0; part < parts; ++part) {
      T* place = stack + 8 * (parts * r + part);
      Row8<T> x = load_row(place);
      for (int k = 0; k < r; ++k) x = x - A[8 * r + k] * load_row(stack + 8 * (parts * k + part));
      store(place, x);
    }
  }
}
template <int parts, class T>
TENON_INLINE void substitute_backward(int rows, const T* A, T* stack) {
  for (int r = rows - 1; r >= 0; --r) {
    for (int part = 0; part < parts; ++part) {
      T* place = stack + 8 * (parts * r + part);
      Row8<T> x = A[9 * r] * load_row(place);
      for (int k = r + 1; k < rows; ++k) x = x - A[8 * k + r] * load_row(stack + 8 * (parts * k + part));
      store(place, x);
    }
  }
}

// Phi += V^T D^-1 V for `rows` rows, `step` numbers apart; A holds 1 / D.
template <class T>
TENON_INLINE void lend_inertia(int rows, const T* A, const T* stack, int step, T* Phi) {
  T V[48], inv_d[6], sum[64];
  for (int r = 0; r < rows; ++r) {
    store(V + 8 * r, load_row(stack + step * r));
    inv_d[r] = A[9 * r];
  }
  weighted_gram(V, inv_d, rows, 2, sum);
  const ArticulatedInertia<T> I = {
      {sum[0], sum[1], sum[2], sum[9], sum[10], sum[18]},
      {sum[3], sum[4], sum[5], sum[11], sum[12], sum[13], sum[19], sum[20], sum[21]},
      {sum[27], sum[28], sum[29], sum[36], sum[37], sum[45]}};
  store(Phi, load_articulated(Phi) + I);
}

// Rows of G and of the inverse to their places. stack: [G | A^-1 | ...].
template <class T>
TENON_INLINE void keep_own_rows(int l, int rows, const T* stack, int parts, CabaOsimData<T>& d) {
  T* own = d.own + 48 * l;
  T* gain = d.gain + 48 * l;
  for (int e = 0; e < 48; ++e) gain[e] = own[e] = T(0);
  for (int r = 0; r < rows; ++r) {
    const T* line = stack + 8 * parts * r;
    for (int e = 0; e < 6; ++e) gain[8 * e + r] = line[e];
    for (int s = r; s < rows; ++s) own[8 * r + s] = own[8 * s + r] = line[8 + s];
  }
}

// The end of the segment of a link that has nothing but its own rows, six or fewer.
template <class T>
inline void finish_carried_rows(int l, int columns, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin;
  T A[64], stack[6 * 16];
  weighted_gram(d.segment_W, d.segment_inv_d, columns, rows > 4 ? 2 : 1, A);
  for (int r = 0; r < rows; ++r) {
    A[9 * r] = A[9 * r] + d.damping[link.row_begin + r];
    for (int e = 0; e < 8; ++e) {
      stack[16 * r + e] = e < 6 ? d.carried[8 * e + r] : T(0);
      stack[16 * r + 8 + e] = T(e == r ? 1 : 0);
    }
  }
  factor_rows(rows, A);
  substitute_forward<2>(rows, A, stack);
  if (link.parent >= 0) lend_inertia(rows, A, stack, 16, d.Phi + 21 * link.parent);
  substitute_backward<2>(rows, A, stack);
  keep_own_rows(l, rows, stack, 2, d);
}

// Six combinations Q^T E^-1/2 K of the rows of a link, with damping 1: E^-1/2 K = Q R by Householder
// reflections. K := R; basis := E^-1/2 Q.
template <class T>
inline void compress_rows(const OsimLink& link, T* K, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  using std::sqrt;
  const int rows = link.row_end - link.row_begin, stride = d.stride;
  T* A = d.householder + link.row_begin;
  T* Q = d.basis + link.row_begin;
  const T* damping = d.damping + link.row_begin;
  T beta[6];
  for (int e = 0; e < 48; ++e) K[e] = T(0);
  for (int r = 0; r < rows; ++r) {
    const T root = sqrt(damping[r]);
    for (int e = 0; e < 6; ++e) {
      A[e * stride + r] = w.K[6 * (link.row_begin + r) + e] / root;
      Q[e * stride + r] = T(e == r ? 1 : 0);
    }
  }
  const auto reflect = [&](int k, T* column) {
    const T* v = A + k * stride;
    T sum(0);
    for (int r = k; r < rows; ++r) sum = sum + v[r] * column[r];
    sum = beta[k] * sum;
    for (int r = k; r < rows; ++r) column[r] = column[r] - sum * v[r];
  };
  for (int k = 0; k < 6; ++k) {
    T* v = A + k * stride;
    T square(0);
    for (int r = k; r < rows; ++r) square = square + v[r] * v[r];
    const T length = sqrt(square), norm = v[k] > T(0) ? -length : length;
    K[9 * k] = norm;
    v[k] = v[k] - norm;
    const T half = -(norm * v[k]);
    beta[k] = half > T(0) ? T(1) / half : T(0);
    for (int e = k + 1; e < 6; ++e) {
      reflect(k, A + e * stride);
      K[8 * k + e] = A[e * stride + k];
    }
  }
  for (int k = 5; k >= 0; --k)
    for (int e = k; e < 6; ++e) reflect(k, Q + e * stride);
  for (int r = 0; r < rows; ++r) {
    const T root = sqrt(damping[r]);
    for (int e = 0; e < 6; ++e) Q[e * stride + r] = Q[e * stride + r] / root;
  }
}

// Omega := (1 - Z^T K) Omega (1 - Z^T K)^T + Z^T E Z with Z = A^-1 K Omega, in the third part of stack: the
// response with the link's own rows at work. A sum of squares (Joseph's form of a Kalman filter's update),
// because the short form Omega - Omega K^T Z leaves rounding where rows leave next to nothing, and that
// would be multiplied by mu twice.
template <class T>
TENON_INLINE void hold_response(int rows, const T* K, const T* damping, const T* stack, T* omega) {
  T held[48], back[48], sum[64], Z[48];
  for (int e = 0; e < 6; ++e) {
    for (int k = 0; k < 8; ++k) held[8 * e + k] = T(e == k ? 1 : 0);
    Row8<T> line = load_row(held + 8 * e);
    for (int r = 0; r < rows; ++r) line = line - stack[24 * r + 16 + e] * load_row(K + 8 * r);
    store(held + 8 * e, line);
  }
  for (int r = 0; r < rows; ++r) store(Z + 8 * r, load_row(stack + 24 * r + 16));
  weighted_gram(Z, damping, rows, 2, sum);
  transpose6(held, back);
  for (int e = 0; e < 6; ++e) {
    T line[8];
    store(line, row_times(held + 8 * e, omega));
    store(sum + 8 * e, load_row(sum + 8 * e) + row_times(line, back));
  }
  for (int e = 0; e < 6; ++e)
    for (int s = 0; s < 8; ++s) omega[8 * e + s] = s < e ? sum[8 * s + e] : sum[8 * e + s];
}

// K, 6 x 8, and damping of the rows of link l, or of those that stand for them, in its axes.
template <class T>
TENON_INLINE void load_own_rows(int l, T* K, T* damping, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  T transposed[48];
  if (link.compressed) {
    compress_rows(link, K, d, w);
    for (int r = 0; r < 6; ++r) damping[r] = T(1);
  } else {
    for (int e = 0; e < 48; ++e) K[e] = T(0);
    for (int r = link.row_begin; r < link.row_end; ++r) {
      damping[r - link.row_begin] = d.damping[r];
      for (int e = 0; e < 6; ++e) K[8 * (r - link.row_begin) + e] = w.K[6 * r + e];
    }
  }
  transpose6(K, transposed);
  to_axes(d.axes + 48 * l, transposed);
  transpose6(transposed, K);
}

// Rows on a link at the end of its segment, its axes having been carried: takes them into the response of the
// link.
template <class T>
inline void take_in_rows(int l, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  const int rows = link.compressed ? 6 : link.row_end - link.row_begin;
  T* omega = d.omega + 48 * l;
  T* propagate = d.propagate + 48 * l;
  T K[48], A[48], damping[6], stack[6 * 24], response[48], P[48];
  load_own_rows(l, K, damping, d, w);
  transpose6(propagate, P);
  for (int r = 0; r < rows; ++r) {
    T* line = stack + 24 * r;
    store(line, row_times(K + 8 * r, P));
    for (int e = 0; e < 8; ++e) line[8 + e] = T(e == r ? 1 : 0);
    store(line + 16, row_times(K + 8 * r, omega));
    store(response + 8 * r, load_row(line + 16));
    for (int s = 0; s <= r; ++s) {
      T sum(0);
      for (int e = 0; e < 6; ++e) sum = sum + line[16 + e] * K[8 * s + e];
      A[8 * r + s] = sum;
    }
    A[9 * r] = A[9 * r] + damping[r];
  }
  factor_rows(rows, A);
  substitute_forward<3>(rows, A, stack);
  if (link.parent >= 0) lend_inertia(rows, A, stack, 24, d.Phi + 21 * link.parent);
  substitute_backward<3>(rows, A, stack);
  keep_own_rows(l, rows, stack, 3, d);
  if (link.compressed) {
    T* own = d.own + 48 * l;
    for (int r = 0; r < 6; ++r)
      for (int s = 0; s < 6; ++s) own[8 * r + s] = T(r == s ? 1 : 0) - own[8 * r + s];
  }
  if (!link.inner) return;
  for (int e = 0; e < 6; ++e) {
    Row8<T> x = load_row(propagate + 8 * e);
    for (int r = 0; r < rows; ++r) x = x - stack[24 * r + e] * load_row(response + 8 * r);
    store(propagate + 8 * e, x);
    for (int r = 0; r < 8; ++r) d.drive[48 * l + 8 * e + r] = r < rows ? stack[24 * r + 16 + e] : T(0);
  }
  hold_response(rows, K, damping, stack, omega);
}

template <class T>
TENON_INLINE void finish_segment(int l, int columns, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  if (link.carries_rows) {
    finish_carried_rows(l, columns, d);
    return;
  }
  T sum[64];
  weighted_gram(d.segment_W, d.segment_inv_d, columns, 2, sum);
  for (int e = 0; e < 48; ++e) d.omega[48 * l + e] = sum[e];
  for (int e = 0; e < 48; ++e) d.propagate[48 * l + e] = d.carried[e];
  if (link.row_end > link.row_begin) take_in_rows(l, d, w);
}

// Joint transforms of all joints but those that are sine and cosine alone.
template <class T>
inline void place_joints(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind > joint_revolute_z)
      with_joint(n.kind, [&](auto joint) { decltype(joint)::update(n, i, q, w); });
  }
}

// Joint i eliminated from IA, which goes on to the parent's frame.
template <class T>
TENON_INLINE bool hand_inertia_up(const ModelData& m, int i, ArticulatedInertia<T>& IA, WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  bool positive = true;
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    const auto X = J::load(n, i, w);
    // Without armature an eliminated axis holds exact zeros, which thin out the transform as well.
    if (J::one_dof && m.armature[n.v_index] == 0)
      positive = eliminate_inertia<J, false>(m, i, IA, w);
    else
      positive = eliminate_inertia<J, true>(m, i, IA, w);
    if (n.parent >= 0) IA = inertia_to_parent(X, IA);
  });
  return positive;
}

// Everything of the configuration; damping must be there. False when the mass matrix is not positive
// definite.
template <class T>
bool caba_osim_factor(const ModelData& m, const ConstraintData& c, const T* q, CabaOsimData<T>& d,
                      WorkspaceData<T>& w) {
  place_joints(m, q, w);
  place_rows(m, c, w);
  for (int e = 0; e < 21 * d.link_count; ++e) d.Phi[e] = T(0);
  bool positive = true;
  int columns = 0;
  ArticulatedInertia<T> IA{};
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const std::int32_t flags = w.node_flags[i];
    IA = flags & node_carries ? IA + load_rigid<T>(n) : articulated(load_rigid<T>(n));
    if (flags & node_collects) IA = IA + load_articulated(w.IA + 21 * i);
    const int l = d.segment_of_node[i];
    if (l >= 0 && d.links[l].node == i) {
      if (d.links[l].inner) IA = IA + load_articulated(d.Phi + 21 * l);
      start_segment(l, IA, d, w);
      columns = 0;
    }
    positive = hand_inertia_up(m, i, IA, w) && positive;
    if (l >= 0) {
      const OsimLink& link = d.links[l];
      const bool one_pack = link.carries_rows && link.row_end - link.row_begin <= 4;
      columns += carry_past_joint(m, i, one_pack ? 4 : 8, columns, d, w);
      if (n.parent < 0 || d.link_at_node[n.parent] >= 0) finish_segment(l, columns, d, w);
    }
    if (n.parent < 0 || !(flags & node_adds_to_memory)) continue;
    T* sum = w.IA + 21 * n.parent;
    store(sum, flags & node_first_to_store ? IA : load_articulated(sum) + IA);
  }
  return positive;
}

// ---- the matrix
// ----------------------------------------------------------------------------------------------------------

// Psi of every link with rows below, from the world outwards.
template <class T>
inline void find_responses(CabaOsimData<T>& d) {
  for (int l = d.link_count - 1; l >= 0; --l) {
    const OsimLink& link = d.links[l];
    if (!link.inner) continue;
    const T* omega = d.omega + 48 * l;
    T* psi = d.psi + 48 * l;
    if (link.parent < 0) {
      for (int e = 0; e < 48; ++e) psi[e] = omega[e];
      continue;
    }
    const T* P = d.propagate + 48 * l;  // transposed
    T product[48];
    for (int e = 0; e < 6; ++e) store(product + 8 * e, row_times(d.psi + 48 * link.parent + 8 * e, P));
    for (int i = 0; i < 6; ++i) {
      Row8<T> sum = load_row(omega + 8 * i);
      for (int e = 0; e < 6; ++e) sum = sum + P[8 * e + i] * load_row(product + 8 * e);
      store(psi + 8 * i, sum);
    }
    for (int e = 0; e < 6; ++e)
      for (int s = 0; s < e; ++s) psi[8 * e + s] = psi[8 * s + e];
  }
}

// Columns [from, to) against rows [begin, end): -left Psi right^T; Psi null: the identity.
template <class T>
inline void fill_block(const T* left, int begin, int end, const T* Psi, const T* right, int from, int to,
                       CabaOsimData<T>& d) {
  if (begin == end) return;
  for (int column = from; column < to; column += 4) {
    const int count = to - column < 4 ? to - column : 4;
    T h[4][8];
    for (int j = 0; j < count; ++j) {
      T g[6];
      for (int e = 0; e < 6; ++e) g[e] = right[e * d.stride + column + j];
      if (Psi)
        store(h[j], row_times(g, Psi));
      else
        for (int e = 0; e < 6; ++e) h[j][e] = g[e];
    }
    fill_columns(count, left, d.stride, begin, end, h, d.stride, d.matrix + column * d.stride);
  }
}

// A^-1 - G Psi_parent G^T of the rows of one link.
template <class T>
inline void fill_own_block(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const T* own = d.own + 48 * l;
  const int begin = link.row_begin, end = link.row_end;
  if (link.parent >= 0) {
    fill_block(d.gain_up, begin, end, d.psi + 48 * link.parent, d.gain_up, begin, end, d);
  } else {
    for (int j = begin; j < end; ++j)
      for (int i = begin; i <= j; ++i) d.matrix[j * d.stride + i] = T(0);
  }
  for (int j = begin; j < end; ++j) {
    T* column = d.matrix + j * d.stride;
    if (!link.compressed) {
      for (int i = begin; i <= j; ++i) column[i] = column[i] + own[8 * (i - begin) + j - begin];
      continue;
    }
    T g[6], h[8];
    for (int e = 0; e < 6; ++e) g[e] = d.basis[e * d.stride + j];
    store(h, row_times(g, own));
    for (int i = begin; i <= j; ++i) {
      T sum(0);
      for (int e = 0; e < 6; ++e) sum = sum + d.basis[e * d.stride + i] * h[e];
      column[i] = column[i] - sum;
    }
    column[j] = column[j] + T(1) / d.damping[j];
  }
}

// Rows of a link from the six numbers of each, or of each combination, in `block` (transposed).
template <class T>
TENON_INLINE void spread_rows(const OsimLink& link, const T* block, T* array, const CabaOsimData<T>& d) {
  const int begin = link.row_begin, rows = link.row_end - begin;
  for (int e = 0; e < 6; ++e) {
    T* to = array + e * d.stride + begin;
    for (int r = 0; r < rows; ++r) {
      if (!link.compressed) {
        to[r] = block[8 * e + r];
        continue;
      }
      T sum(0);
      for (int k = 0; k < 6; ++k) sum = sum + d.basis[k * d.stride + begin + r] * block[8 * e + k];
      to[r] = sum;
    }
  }
}

// drive_up of a link's own rows: A^-1 K omega + G Psi_parent P, P its propagate transposed.
template <class T>
inline void find_drive(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  T sum[48];
  for (int e = 0; e < 48; ++e) sum[e] = d.drive[48 * l + e];
  if (link.parent >= 0) {
    const T* P = d.propagate + 48 * l;
    const T* gain = d.gain + 48 * l;
    T product[48];
    for (int e = 0; e < 6; ++e) store(product + 8 * e, row_times(d.psi + 48 * link.parent + 8 * e, gain));
    for (int i = 0; i < 6; ++i) {
      Row8<T> x = load_row(sum + 8 * i);
      for (int e = 0; e < 6; ++e) x = x + P[8 * e + i] * load_row(product + 8 * e);
      store(sum + 8 * i, x);
    }
  }
  spread_rows(link, sum, d.drive_up, d);
}

// gain_up of the rows below a link, from its own acceleration to its parent's. Packs spill over rows before,
// which have not joined yet.
template <class T>
inline void carry_gain(int l, CabaOsimData<T>& d) {
  using V = Lanes<T>;
  const OsimLink& link = d.links[l];
  const T* P = d.propagate + 48 * l;
  for (int place = link.subtree_row_end - 4; place > link.row_end - 4; place -= 4) {
    T* up = d.gain_up + place;
    V x[6];
    for (int e = 0; e < 6; ++e) x[e] = V::load(up + e * d.stride);
    for (int e = 0; e < 6; ++e) {
      V sum = x[0] * V(P[8 * e]);
      for (int k = 1; k < 6; ++k) sum = sum + x[k] * V(P[8 * e + k]);
      sum.store(up + e * d.stride);
    }
  }
}

// Rows that part at the link: those of its children among each other, and its own with theirs.
template <class T>
inline void fill_parting_blocks(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  for (int child = l - 1; child >= 0; child = d.links[child].next) {
    const OsimLink& side = d.links[child];
    fill_block(d.gain_up, link.row_end, side.row_begin, d.psi + 48 * l, d.gain_up, side.row_begin,
               side.subtree_row_end, d);
  }
  if (link.row_begin == link.row_end) return;
  find_drive(l, d);
  fill_block<T>(d.drive_up, link.row_begin, link.row_end, nullptr, d.gain_up, link.row_end,
                link.subtree_row_end, d);
}

// The upper triangle of Lambda_mu, after caba_osim_factor.
template <class T>
void caba_osim_form(CabaOsimData<T>& d) {
  find_responses(d);
  for (int l = 0; l < d.link_count; ++l) {
    const OsimLink& link = d.links[l];
    if (link.inner) {
      fill_parting_blocks(l, d);
      if (link.parent >= 0) carry_gain(l, d);
    }
    if (link.row_end > link.row_begin) {
      if (link.parent >= 0) spread_rows(link, d.gain + 48 * l, d.gain_up, d);
      fill_own_block(l, d);
    }
    if (link.parent >= 0) continue;
    // Rows of different trees, and of the world, know nothing of each other.
    for (int j = link.row_begin; j < link.subtree_row_end; ++j)
      for (int i = 0; i < link.row_begin; ++i) d.matrix[j * d.stride + i] = T(0);
  }
  for (int j = 0; j < d.world_rows; ++j) {
    for (int i = 0; i < j; ++i) d.matrix[j * d.stride + i] = T(0);
    d.matrix[j * d.stride + j] = T(1) / d.damping[j];
  }
}

TENON_ISA_END
}  // namespace tenon
