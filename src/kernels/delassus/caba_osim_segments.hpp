// The inward sweep of caba_osim (equations in caba_osim.hpp): for each segment P, Omega, the gains of the
// rows, and the inertia Phi.
#pragma once

#include "data/rank.hpp"
#include "kernels/delassus/caba_osim_data.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "kernels/tree/packed_6x8.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The order in which axes are found: translations first; their couplings with rotations are then lever arms.
constexpr int axis_order[6] = {3, 4, 5, 0, 1, 2};

// The axes of a link: IA = C D C^T, C unit lower triangular in this order. Constraints add an inertia of the
// size of mu to a link. The larger mu, the closer to singular are its responses Omega and Psi: in body axes
// rounding would lose their small entries, and gains of the size of mu would multiply the error twice. As C^T
// Psi C, computed from columns of C (not the identity) propagated along the segment, each entry keeps its
// digits.
template <class T>
TENON_INLINE void find_axes(const ArticulatedInertia<T>& IA, T* C) {
  const Sym3<T>&I = IA.I, &M = IA.M;
  const Mat3<T>& H = IA.H;
  const T inertia[6][6] = {{I.xx, I.xy, I.xz, H.xx, H.xy, H.xz}, {I.xy, I.yy, I.yz, H.yx, H.yy, H.yz},
                           {I.xz, I.yz, I.zz, H.zx, H.zy, H.zz}, {H.xx, H.yx, H.zx, M.xx, M.xy, M.xz},
                           {H.xy, H.yy, H.zy, M.xy, M.yy, M.yz}, {H.xz, H.yz, H.zz, M.xz, M.yz, M.zz}};
  T d[6];
  for (int e = 0; e < 48; ++e) C[e] = T(0);
  for (int j = 0; j < 6; ++j) {
    const int axis = axis_order[j];
    d[j] = inertia[axis][axis];
    for (int k = 0; k < j; ++k) {
      const T c = C[8 * axis + axis_order[k]];
      d[j] = d[j] - d[k] * c * c;
    }
    // A direction without inertia is not eliminated.
    const T inv_d = d[j] > T(massless_direction) * inertia[axis][axis] ? T(1) / d[j] : T(0);
    C[9 * axis] = T(1);
    for (int i = j + 1; i < 6; ++i) {
      const int e = axis_order[i];
      T x = inertia[e][axis];
      for (int k = 0; k < j; ++k) x = x - C[8 * e + axis_order[k]] * (d[k] * C[8 * axis + axis_order[k]]);
      C[8 * e + axis] = inv_d * x;
    }
  }
}
// Changes rows of motions, 6 x width, from body axes to the axes C: x := C^-1 x.
template <class T>
TENON_INLINE void to_axes(const T* C, int width, T* x) {
  for (int i = 1; i < 6; ++i) {
    const int e = axis_order[i];
    for (int place = 0; place < width; place += 8) {
      Row8<T> sum = load_row(x + e * width + place);
      for (int k = 0; k < i; ++k)
        sum = sum - C[8 * e + axis_order[k]] * load_row(x + axis_order[k] * width + place);
      store(x + e * width + place, sum);
    }
  }
}

template <class T>
TENON_INLINE void start_segment(int l, const ArticulatedInertia<T>& IA, CabaOsimData<T>& d,
                                const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  if (link.propagates_rows) {
    const int rows = link.row_end - link.row_begin;
    for (int e = 0; e < 6; ++e)
      for (int j = 0; j < 8; ++j) d.carried[8 * e + j] = j < rows ? w.K[6 * (link.row_begin + j) + e] : T(0);
    return;
  }
  T* C = d.axes + 48 * l;
  if (!link.inner) {  // no constraint has added inertia
    for (int e = 0; e < 48; ++e) d.carried[e] = C[e] = T(e % 9 == 0 ? 1 : 0);
    return;
  }
  find_axes(IA, C);
  for (int e = 0; e < 48; ++e) d.carried[e] = C[e];
  for (int child = l - 1; child >= 0; child = d.links[child].next) {
    const OsimLink& side = d.links[child];
    to_axes(C, side.width, d.gain + 6 * side.place);
    if (side.inner) to_axes(C, 8, d.propagate + 48 * child);
  }
}

// Propagates d.carried across joint i to the parent's frame. Returns the joint's number of columns.
template <class T>
TENON_INLINE int carry_past_joint(const ModelData& m, int i, int lanes, int column, CabaOsimData<T>& d,
                                  const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  T* W = d.segment_W + 8 * column;
  int columns = 0;
  with_joint(n, [&](auto joint) {
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

// Propagates d.carried from body `entry` of a cluster across the cluster. Returns its number of columns.
template <class T>
inline int carry_past_cluster(const ModelData& m, const ClusterData& c, int entry, int lanes, int column,
                              CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  for (int lane = 0; lane < lanes; lane += 4) {
    Force<Lanes<T>> K = load_rows(d.carried + lane, 8);
    carry_past_cluster(m, c, entry, K, d.segment_W + 8 * column + lane, 8, w);
    store_rows(d.carried + lane, 8, K);
  }
  for (int y = 0; y < c.y_count; ++y)
    d.segment_inv_d[column + y] = w.cluster_D[c.G_begin + y * c.y_count + y];
  return c.y_count;
}

// Two steps, so that callers can read the result between them: first L^-1 stack, then L^-T D^-1 of that.
// stack: rows of `step` numbers.
template <class T>
TENON_INLINE void substitute_forward(int rows, int ld, const T* A, int step, T* stack) {
  for (int r = 1; r < rows; ++r) {
    for (int place = 0; place < step; place += 8) {
      Row8<T> x = load_row(stack + step * r + place);
      for (int k = 0; k < r; ++k) x = x - A[ld * r + k] * load_row(stack + step * k + place);
      store(stack + step * r + place, x);
    }
  }
}
template <class T>
TENON_INLINE void substitute_backward(int rows, int ld, const T* A, int step, T* stack) {
  for (int r = rows - 1; r >= 0; --r) {
    for (int place = 0; place < step; place += 8) {
      Row8<T> x = A[(ld + 1) * r] * load_row(stack + step * r + place);
      for (int k = r + 1; k < rows; ++k) x = x - A[ld * k + r] * load_row(stack + step * k + place);
      store(stack + step * r + place, x);
    }
  }
}

// Phi += V^T D^-1 V, with V the first eight numbers of each row of the stack; A holds 1 / D.
template <class T>
TENON_INLINE void add_inertia(int rows, int ld, const T* A, int step, const T* stack, T* Phi) {
  T sum[64];
  weighted_gram(stack, step, A, ld + 1, rows, 2, sum);
  const ArticulatedInertia<T> I = {
      {sum[0], sum[1], sum[2], sum[9], sum[10], sum[18]},
      {sum[3], sum[4], sum[5], sum[11], sum[12], sum[13], sum[19], sum[20], sum[21]},
      {sum[27], sum[28], sum[29], sum[36], sum[37], sum[45]}};
  store(Phi, load_articulated(Phi) + I);
}

// Copies G and A^-1 to their places. stack: G first, A^-1 from `inverse` on.
template <class T>
TENON_INLINE void keep_own_rows(const OsimLink& link, int step, int inverse, const T* stack,
                                CabaOsimData<T>& d) {
  const int rows = link.row_end - link.row_begin, width = link.width;
  T* own = d.own + link.own_begin;
  T* gain = d.gain + 6 * link.place;
  for (int r = 0; r < rows; ++r) {
    const T* line = stack + step * r;
    for (int e = 0; e < 6; ++e) gain[e * width + r] = line[e];
    for (int s = r; s < rows; ++s) own[width * r + s] = own[width * s + r] = line[inverse + s];
  }
}

// End of the segment of a link that has only its own rows, six or fewer.
template <class T>
inline void finish_carried_rows(int l, int columns, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin;
  T A[64], stack[6 * 16];
  weighted_gram(d.segment_W, 8, d.segment_inv_d, 1, columns, rows > 4 ? 2 : 1, A);
  for (int r = 0; r < rows; ++r) {
    A[9 * r] = A[9 * r] + d.damping[link.row_begin + r];
    for (int e = 0; e < 8; ++e) {
      stack[16 * r + e] = e < 6 ? d.carried[8 * e + r] : T(0);
      stack[16 * r + 8 + e] = T(e == r ? 1 : 0);
    }
  }
  factor_ldl(rows, 8, A);
  substitute_forward(rows, 8, A, 16, stack);
  if (link.parent >= 0) add_inertia(rows, 8, A, 16, stack, d.Phi + 21 * link.parent);
  substitute_backward(rows, 8, A, 16, stack);
  keep_own_rows(link, 16, 8, stack, d);
}

// Omega := (1 - Z^T K) Omega (1 - Z^T K)^T + Z^T E Z, where the stack has Z = A^-1 K Omega from place 8 on:
// the response with the link's own rows active. A sum of squares (the Joseph form of a Kalman filter's
// update): the short form Omega - Omega K^T Z has rounding errors where rows leave almost no motion, and mu
// would multiply them twice.
template <class T>
TENON_INLINE void hold_response(const OsimLink& link, int step, T* omega, const CabaOsimData<T>& d) {
  const int rows = link.row_end - link.row_begin;
  T held[48], back[48], sum[64];
  for (int e = 0; e < 6; ++e) {
    for (int k = 0; k < 8; ++k) held[8 * e + k] = T(e == k ? 1 : 0);
    Row8<T> line = load_row(held + 8 * e);
    for (int r = 0; r < rows; ++r) line = line - d.stack[step * r + 8 + e] * load_row(d.own_K + 8 * r);
    store(held + 8 * e, line);
  }
  weighted_gram(d.stack + 8, step, d.damping + link.row_begin, 1, rows, 2, sum);
  transpose6(held, back);
  for (int e = 0; e < 6; ++e) {
    T line[8];
    store(line, row_times(held + 8 * e, omega));
    store(sum + 8 * e, load_row(sum + 8 * e) + row_times(line, back));
  }
  for (int e = 0; e < 6; ++e)
    for (int s = 0; s < 8; ++s) omega[8 * e + s] = s < e ? sum[8 * s + e] : sum[8 * e + s];
}

// own_K: K of the rows of link l in its axes.
template <class T>
TENON_INLINE void load_own_rows(int l, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin, width = link.width;
  for (int e = 0; e < 6; ++e)
    for (int r = 0; r < width; ++r)
      d.own_KT[e * width + r] = r < rows ? w.K[6 * (link.row_begin + r) + e] : T(0);
  to_axes(d.axes + 48 * l, width, d.own_KT);
  for (int r = 0; r < rows; ++r)
    for (int e = 0; e < 8; ++e) d.own_K[8 * r + e] = e < 6 ? d.own_KT[e * width + r] : T(0);
}

// own_A := K Omega K^T + E; stack := [K P | K Omega | 1].
template <class T>
TENON_INLINE void stack_own_rows(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin, width = link.width, step = 16 + width;
  T P[48];
  transpose6(d.propagate + 48 * l, P);
  for (int r = 0; r < rows; ++r) {
    const T* K = d.own_K + 8 * r;
    T* line = d.stack + step * r;
    const Row8<T> response = row_times(K, d.omega + 48 * l);
    store(line, row_times(K, P));
    store(line + 8, response);
    store(d.response + 8 * r, response);
    for (int s = 0; s < width; ++s) line[16 + s] = T(s == r ? 1 : 0);
    for (int s = 0; s <= r; ++s) {
      T sum(0);
      for (int e = 0; e < 6; ++e) sum = sum + line[8 + e] * d.own_K[8 * s + e];
      d.own_A[width * r + s] = sum;
    }
    d.own_A[(width + 1) * r] = d.own_A[(width + 1) * r] + d.damping[link.row_begin + r];
  }
}

// End of the segment of a link whose axes were propagated: adds its rows to its response.
template <class T>
inline void take_in_rows(int l, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin, width = link.width, step = 16 + width;
  load_own_rows(l, d, w);
  stack_own_rows(l, d);
  factor_ldl(rows, width, d.own_A);
  substitute_forward(rows, width, d.own_A, step, d.stack);
  if (link.parent >= 0) add_inertia(rows, width, d.own_A, step, d.stack, d.Phi + 21 * link.parent);
  substitute_backward(rows, width, d.own_A, step, d.stack);
  keep_own_rows(link, step, 16, d.stack, d);
  if (!link.inner) return;
  for (int e = 0; e < 6; ++e) {
    T* P = d.propagate + 48 * l + 8 * e;
    Row8<T> x = load_row(P);
    for (int r = 0; r < rows; ++r) x = x - d.stack[step * r + e] * load_row(d.response + 8 * r);
    store(P, x);
    for (int r = 0; r < rows; ++r) d.drive[6 * link.place + e * width + r] = d.stack[step * r + 8 + e];
  }
  hold_response(link, step, d.omega + 48 * l, d);
}

template <class T>
TENON_INLINE void finish_segment(int l, int columns, CabaOsimData<T>& d, const WorkspaceData<T>& w) {
  const OsimLink& link = d.links[l];
  if (link.propagates_rows) {
    finish_carried_rows(l, columns, d);
    return;
  }
  T sum[64];
  weighted_gram(d.segment_W, 8, d.segment_inv_d, 1, columns, 2, sum);
  for (int e = 0; e < 48; ++e) d.omega[48 * l + e] = sum[e];
  for (int e = 0; e < 48; ++e) d.propagate[48 * l + e] = d.carried[e];
  if (link.row_end > link.row_begin) take_in_rows(l, d, w);
}

// The position of the sweep on the current segment.
struct SegmentPlace {
  int columns;  // velocity coordinates so far
  int entry;    // body through which the segment entered the current cluster
};

// Continues a segment across joint i, or across a whole cluster at the first of its bodies, and ends it where
// the next link is. In a cluster, rows enter through one body, the only one that has a segment
// (CabaOsimTables::rows_meet_in_cluster).
template <bool loops, class T>
TENON_INLINE void continue_segment(const ModelData& m, int i, SegmentPlace& at, CabaOsimData<T>& d,
                                   const WorkspaceData<T>& w) {
  const ClusterData* c = nullptr;
  if constexpr (loops) c = cluster_of(m, i);
  if (c) {
    if (i == c->node_begin + c->node_count - 1) at.entry = -1;
    if (d.segment_of_node[i] >= 0) at.entry = i;
    if (i != c->node_begin) return;
  }
  const int from = c ? at.entry : i;
  const int l = from >= 0 ? d.segment_of_node[from] : -1;
  if (l < 0) return;
  const OsimLink& link = d.links[l];
  const int lanes = link.propagates_rows && link.row_end - link.row_begin <= 4 ? 4 : 8;
  if (c)
    at.columns += carry_past_cluster(m, *c, from, lanes, at.columns, d, w);
  else
    at.columns += carry_past_joint(m, i, lanes, at.columns, d, w);
  const int parent = m.nodes[i].parent;
  if (parent < 0 || d.link_at_node[parent] >= 0) finish_segment(l, at.columns, d, w);
}

template <bool loops, class T>
bool caba_osim_sweep(const ModelData& m, CabaOsimData<T>& d, WorkspaceData<T>& w) {
  SegmentPlace at{0, -1};
  const T* const unread = nullptr;
  return sweep_inwards<loops, false>(m, w, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    const int l = d.link_at_node[i];
    if (l >= 0) {
      if (d.links[l].inner) h.IA = h.IA + load_articulated(d.Phi + 21 * l);
      const ArticulatedInertia<T> IA = h.IA;  // so that h stays in registers
      start_segment(l, IA, d, w);
      at.columns = 0;
    }
    const bool positive = eliminate_node<loops, inside.value, false>(m, i, unread, unread, h, w);
    continue_segment<loops>(m, i, at, d, w);
    return positive;
  });
}

// Everything that depends on the configuration; damping must be set; with loops after cluster_constraints.
// False when the mass matrix is not positive definite.
template <class T>
bool caba_osim_factor(const ModelData& m, const ConstraintData& c, const T* q, CabaOsimData<T>& d,
                      WorkspaceData<T>& w) {
  place_joints(m, q, w);
  place_rows(m, c, w);
  for (int e = 0; e < 21 * d.link_count; ++e) d.Phi[e] = T(0);
  return with_loops<T>(m, [&](auto loops) {
    if constexpr (loops.value) place_wobbling_inertias(m, w);
    return caba_osim_sweep<loops.value>(m, d, w);
  });
}

TENON_ISA_END
}  // namespace tenon
