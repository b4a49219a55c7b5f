// pv_early ([CABA] VII-B): the Popov-Vereshchagin sweep, with each multiplier eliminated at the first joint
// that can carry it, in O(n + m).
//
// Rows K a' + L lambda = k are propagated to the root with the articulated inertia; lambda is the force on
// the robot. A degree of freedom with subspace S adds W D^-1 W^T to L, W = K S a column. A Householder
// reflection leaves one nonzero entry in W, so that only one row depends on the joint:
//
//   K := K - W D^-1 U^T,   k := k - W D^-1 u,   s = W^2 / D.
//
// That row is eliminated at once, lambda = (k - K a') / s:   IA := IA + K^T K / s,   pA := pA - K^T k / s.
// Joints of several degrees of freedom are eliminated axis by axis, which is the factorisation D = L diag L^T
// in another order.
//
// Two rules keep digits and limit the number of rows. First, a joint that moves a row only weakly (s far
// below what is typical of the row) does not carry it: 1 / s would exceed the inertia by far. The row goes
// on, with its part of L, to a joint that can carry it; L is then nonzero and eliminations couple rows.
// Second, where more than six rows meet, reflections leave K in at most six of them. The others have met
// every joint that moves them and are solved among themselves; with L = 0 they are redundant, and k is their
// contradiction. Rows with much compliance R are springs on their own link, IA += K^T K / R; others start
// with L = R.
//
// All changes of rows are orthogonal, and each eliminated direction lies in the range of the dual Hessian.
#pragma once

#include <cmath>

#include "kernels/constrained/constraint_rows.hpp"
#include "kernels/constrained/pv_early_rows.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A joint carries a row, scaled to unit Delassus diagonal, if s is at least this.
inline constexpr double early_carries = 1e-3;

// ---- inward

// Eliminates the last row of the set; s: its dual Hessian.
template <class T>
TENON_INLINE void eliminate_row(const T& s, ParentShare<T>& h, EarlySet<T>& set, EarlyColumn<T>& col) {
  const int last = --set.count;
  const Force<T> K = load_force<T>(set.row[last]);
  col.k = set.row[last][6];
  col.inv_s = T(1) / s;
  store(col.K, K);
  subtract_outer(h.IA, K, scaled(-col.inv_s, K));
  h.pA = h.pA - scaled(col.inv_s * col.k, K);
  col.coupled = set.coupled;
  if (!set.coupled) return;
  for (int i = 0; i < last; ++i) col.L[i] = set.L[i][last];
  for (int i = 0; i < last; ++i) {
    const T share = col.L[i] * col.inv_s;
    for (int e = 0; e < 7; ++e) set.row[i][e] = set.row[i][e] - share * set.row[last][e];
    for (int j = 0; j < last; ++j) set.L[i][j] = set.L[i][j] - share * col.L[j];
  }
}

// Eliminates one degree of freedom, axis A of the body frame, with its tau, armature and spin: stores U, 1 /
// D and u, and updates (IA, pA) and the rows.
template <int A, bool loops, class T>
inline bool eliminate_dof(const T& armature, const T& spin, const T& tau, int index, ParentShare<T>& h,
                          EarlySet<T>& set, PvEarlyData<T>& d, WorkspaceData<T>& w) {
  using std::sqrt;
  EarlyColumn<T>& col = d.columns[index];
  Force<T> U = column<A>(h.IA);
  const T D = at<A>(U) + armature, inv_D = T(1) / D;
  if constexpr (loops) at<A>(U) = at<A>(U) + spin;
  const T u = tau - at<A>(h.pA);
  store(w.U + 6 * index, U);
  w.D[6 * index] = inv_D;
  w.u[index] = u;
  subtract_outer(h.IA, U, scaled(inv_D, U));
  h.pA = h.pA + scaled(inv_D * u, U);

  col.rows = set.count;
  col.state = early_untouched;
  T squares(0);
  for (int i = 0; i < set.count; ++i) squares = squares + set.row[i][A] * set.row[i][A];
  if (!(squares > T(early_rounding) * set.size)) return D > T(0);

  const int last = set.count - 1;
  const T norm = set.count == 1 ? T(0) : T(sqrt(squares));
  col.alpha = reflect_rows(set.row, 0, set.count, last, A, norm, col.v, col.beta);
  if (set.coupled) reflect_coupling<early_max>(set.L, set.count, 0, set.count, col.v, col.beta);
  const T share = col.alpha * inv_D;
  store(set.row[last], load_force<T>(set.row[last]) - scaled(share, U));
  set.row[last][6] = set.row[last][6] - share * u;
  T s = col.alpha * share;
  if (set.coupled) s = s + set.L[last][last];
  if (s >= T(early_carries)) {
    col.state = early_eliminated;
    eliminate_row(s, h, set, col);
    return D > T(0);
  }
  col.state = early_kept;
  for (int i = 0; !set.coupled && i < set.count; ++i)
    for (int j = 0; j < set.count; ++j) set.L[i][j] = T(0);
  set.L[last][last] = s;
  set.coupled = 1;
  return D > T(0);
}

// Compile-time loop over the dofs of a joint, last first.
template <class J, class F, int D = J::nv - 1>
TENON_INLINE void for_each_axis_backwards(F&& f) {
  if constexpr (D >= 0) {
    f(Int<D>{}, Int<J::axis[D]>{});
    for_each_axis_backwards<J, F, D - 1>(static_cast<F&&>(f));
  }
}

// The rows on node i itself: springs are added to the inertia, the others to its set.
template <class T>
inline void enter_rows(const EarlyNode& e, ParentShare<T>& h, EarlySet<T>& set, PvEarlyData<T>& d,
                       const WorkspaceData<T>& w) {
  for (int j = e.soft_begin; j < e.soft_end; ++j) {
    const int r = d.soft_rows[j];
    const Force<T> K = load_force<T>(w.K + 6 * r);
    const T stiffness = T(1) / d.compliance[r];
    subtract_outer(h.IA, K, scaled(-stiffness, K));
    h.pA = h.pA - scaled(stiffness * w.k[r], K);
  }
  for (int j = e.join_begin; j < e.join_end; ++j) {
    const EarlyJoin& join = d.joins[j];
    if (join.child >= 0) continue;
    EarlySet<T> own;
    own.count = join.row_count;
    own.coupled = 0;
    own.size = T(0);
    for (int i = 0; i < own.count; ++i) {
      const int r = d.hard_rows[join.row_begin + i];
      const T scale = d.row_scale[r];
      for (int c = 0; c < 6; ++c)
        own.row[i][c] = scale * w.K[6 * r + c], own.size = own.size + own.row[i][c] * own.row[i][c];
      own.row[i][6] = scale * w.k[r];
      own.row[i][7] = T(0);
      own.coupled = own.coupled || d.compliance[r] > T(0);
    }
    for (int i = 0; own.coupled && i < own.count; ++i) {
      const int r = d.hard_rows[join.row_begin + i];
      for (int c = 0; c < own.count; ++c)
        own.L[i][c] = c == i ? d.row_scale[r] * d.row_scale[r] * d.compliance[r] : T(0);
    }
    join_rows(set, own, join, d.joined[j], d);
  }
}

// Node i with rows in its set: eliminates its joint; inertia, force and rows become those that the parent
// sees.
template <bool loops, class T>
inline bool eliminate_node_with_rows(const ModelData& m, const EarlyNode& e, const T* v, const T* tau,
                                     ParentShare<T>& h, EarlySet<T>& set, PvEarlyData<T>& d,
                                     WorkspaceData<T>& w) {
  const int i = e.node;
  const NodeData& n = m.nodes[i];
  bool positive = true;
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    for_each_axis<J>([&](auto k, auto axis) {
      const int index = n.v_index + k.value;
      const T spin = loops ? T(m.spin[index]) : T(0);
      const T force = loops ? tau[index] - w.drive_bias[index] : tau[index];
      positive = eliminate_dof<axis.value, loops>(T(m.armature[index]), spin, T(n.sign) * force, index, h,
                                                  set, d, w) &&
                 positive;
    });
    T rate[J::nv];
    load_rate<J>(n, v, rate);
    const Motion<T> c = velocity_product_acceleration<J>(load_motion<T>(w.v + 6 * i), rate);
    const auto X = J::load(n, i, w);
    for (int r = 0; r < set.count; ++r) {
      const Force<T> K = load_force<T>(set.row[r]);
      set.row[r][6] = set.row[r][6] - dot(c, K);
      store(set.row[r], force_to_parent(X, K));
    }
    h.pA = h.pA + h.IA * c;
    h = {inertia_to_parent(X, h.IA), force_to_parent(X, h.pA)};
  });
  return positive;
}

// Adds the rows of a node to its parent's; at a root, solves them.
template <class T>
inline void add_to_parent(const EarlyNode& e, int place, PvEarlyData<T>& d, const WorkspaceData<T>& w) {
  EarlySet<T>& set = d.sets[place];
  d.passed[place].out = set.count;
  if (e.parent >= 0) {
    join_rows(d.sets[e.parent], set, d.joins[e.up_join], d.joined[e.up_join], d);
    return;
  }
  const Motion<T> a_0 = load_motion<T>(w.a - 6);
  T row[early_meet][8], L[early_meet][early_meet];
  for (int i = 0; i < set.count; ++i) {
    row[i][6] = set.row[i][6] - dot(a_0, load_force<T>(set.row[i]));
    for (int j = 0; set.coupled && j < set.count; ++j) L[i][j] = set.L[i][j];
  }
  EarlySqueeze<T>& q = d.squeezes[e.root_squeeze];
  q.kept = 0;
  q.total = set.count;
  q.coupled = set.coupled;
  close_rows(row, L, q, d);
}

template <bool loops, class T>
inline bool reduce_early(const ModelData& m, const T* v, const T* tau, PvEarlyData<T>& d,
                         WorkspaceData<T>& w) {
  d.redundant = 0;
  for (int r = 0; r < d.world_rows; ++r) d.redundant += !(d.compliance[r] > T(0));
  for (int place = 0; place < d.node_count; ++place) d.sets[place].count = d.sets[place].coupled = 0;
  int place = 0;
  return sweep_inwards<loops, true>(m, w, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    constexpr bool clustered = inside.value;
    if (clustered || place == d.node_count || d.nodes[place].node != i)
      return eliminate_node<loops, clustered>(m, i, v, tau, h, w);
    const EarlyNode& e = d.nodes[place];
    EarlySet<T>& set = d.sets[place];
    enter_rows(e, h, set, d, w);
    d.passed[place].in = set.count;
    const bool positive = set.count > 0 ? eliminate_node_with_rows<loops>(m, e, v, tau, h, set, d, w)
                                        : eliminate_node<loops, clustered>(m, i, v, tau, h, w);
    add_to_parent(e, place++, d, w);
    return positive;
  });
}
// After constraint_state: the whole inward sweep. False when the mass matrix is not positive definite. No
// cluster may support constraints.
template <class T>
bool pv_early_reduce(const ModelData& m, const T* v, const T* tau, PvEarlyData<T>& d, WorkspaceData<T>& w) {
  return has_loops<T>(m) ? reduce_early<true>(m, v, tau, d, w) : reduce_early<false>(m, v, tau, d, w);
}

// ---- outward

// Acceleration of a degree of freedom, and the multipliers of the rows it met. lambda: in, those of the rows
// that left it. a: acceleration with all dofs that were eliminated after this one.
template <class T>
inline T solve_dof(const EarlyColumn<T>& col, int index, const Motion<T>& a, T* lambda,
                   const WorkspaceData<T>& w) {
  T force = w.u[index] - dot(a, load_force<T>(w.U + 6 * index));
  if (col.state == early_untouched) return w.D[6 * index] * force;
  const int last = col.rows - 1;
  if (col.state == early_eliminated) {
    T rest = col.k - dot(a, load_force<T>(col.K));
    for (int i = 0; col.coupled && i < last; ++i) rest = rest - col.L[i] * lambda[i];
    lambda[last] = col.inv_s * rest;
  }
  force = force + col.alpha * lambda[last];
  reflect_back(lambda, 0, col.rows, col.v, col.beta);
  return w.D[6 * index] * force;
}

template <class T>
inline void roll_out_with_rows(const ModelData& m, int i, const T* v, T* lambda, T* qdd,
                               const PvEarlyData<T>& d, WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = parent_acceleration<J>(n, i, v, w);
    for_each_axis_backwards<J>([&](auto k, auto axis) {
      const int index = n.v_index + k.value;
      const T x = solve_dof(d.columns[index], index, a, lambda, w);
      at<axis.value>(a) = at<axis.value>(a) + x;
      qdd[index] = T(n.sign) * x;
    });
    store(w.a + 6 * i, a);
  });
}

// Distributes the multipliers of a node's set to the sets that its rows came from.
template <class T>
inline void take_back_joins(const EarlyNode& e, T* lambda, T* row_lambda, PvEarlyData<T>& d) {
  for (int j = e.join_end - 1; j >= e.join_begin; --j) {
    const EarlyJoin& join = d.joins[j];
    const EarlyJoined& joined = d.joined[j];
    if (joined.before + joined.added > early_max) take_back_squeeze(d.squeezes[join.squeeze], lambda);
    for (int i = 0; i < joined.added; ++i) {
      const T x = lambda[joined.before + i];
      if (join.child >= 0) {
        d.lambda_out[early_max * join.child + i] = x;
      } else {
        const int r = d.hard_rows[join.row_begin + i];
        row_lambda[r] = d.row_scale[r] * x;
      }
    }
  }
}

// Accelerations, multipliers (rows), and K a of the rows.
template <class T>
void pv_early_roll_out(const ModelData& m, const ConstraintData& c, const T* v, T* row_lambda, T* qdd,
                       PvEarlyData<T>& d, WorkspaceData<T>& w) {
  int place = d.node_count - 1;
  const bool loops = has_loops<T>(m);
  const auto roll_out_any = [&](int i) {
    if (loops)
      roll_out_node<true>(m, i, v, qdd, w);
    else
      roll_out_node<false>(m, i, v, qdd, w);
  };
  for (int i = 0; i < m.node_count; ++i) {
    if (place < 0 || d.nodes[place].node != i) {
      roll_out_any(i);
      continue;
    }
    const EarlyNode& e = d.nodes[place];
    T lambda[early_meet];
    for (int r = 0; r < d.passed[place].out; ++r) lambda[r] = d.lambda_out[early_max * place + r];
    if (e.parent < 0) take_back_squeeze(d.squeezes[e.root_squeeze], lambda);
    if (d.passed[place].in > 0)
      roll_out_with_rows(m, i, v, lambda, qdd, d, w);
    else
      roll_out_any(i);
    take_back_joins(e, lambda, row_lambda, d);
    --place;
  }
  constraint_accelerations(c, w);
  for (int r = 0; r < d.world_rows; ++r)
    row_lambda[r] = d.compliance[r] > T(0) ? (w.k[r] - w.Ka[r]) / d.compliance[r] : T(0);
  for (int j = 0; d.node_count > 0 && j < d.nodes[d.node_count - 1].soft_end; ++j) {
    const int r = d.soft_rows[j];
    row_lambda[r] = (w.k[r] - w.Ka[r]) / d.compliance[r];
  }
}

TENON_ISA_END
}  // namespace tenon
