// Articulated inertias at a configuration, without velocities and forces: the part of the articulated-body
// method (articulated_body.hpp) that the methods for the Delassus matrix need, [OSIMR] Eq. 7, 8:
//
//   in:   U = IA S,  D = S^T U + armature,  added to the parent: Ia = IA - U D^-1 U^T
//
// Also the constraint rows K at a configuration, and the propagation of rows across a joint, in packs.
#pragma once

#include "kernels/cluster/cluster_rows.hpp"
#include "kernels/constrained/constraint_rows.hpp"
#include "kernels/tree/articulated_body.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Computes all joint transforms except those that need only sine and cosine.
template <class T>
inline void place_joints(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind > joint_revolute_z) with_joint(n, [&](auto joint) { decltype(joint)::update(n, i, q, w); });
  }
}

template <bool loops, class T, class Model>
inline bool sweep_inertias_of(const Model& m, const T* q, WorkspaceData<T>& w) {
  const T* const unread = nullptr;
  joint_angles(m, q, w);
  if constexpr (loops) place_wobbling_inertias(m, w);
  return sweep_inwards<loops, false>(m, w, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    return eliminate_node<loops, inside.value, false>(m, i, q, unread, h, w);
  });
}

// Joint transforms, then U and D of all joints in an inward sweep; with loops after cluster_constraints.
// False when some D is not positive definite.
template <class T>
inline bool sweep_inertias(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  return with_loops<T>(m, [&](auto loops) { return sweep_inertias_of<loops.value>(m, q, w); });
}

// ---- rows

// World rotations of the nodes that carry constraints, for rows along the world's axes; needs the joint
// transforms.
template <class T, class Model, class Rows>
inline void sweep_support_rotations(const Model& m, const Rows& c, WorkspaceData<T>& w) {
  const T o(0), e(1);
  store(w.Rs - 9, Mat3<T>{e, o, o, o, e, o, o, o, e});
  if (c.poses == ConstraintPoses::none) return;
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      const auto X = decltype(joint)::load(n, i, w);
      store(w.Rs + 9 * i, compose(load_mat3<T>(w.Rs + 9 * n.parent), X.R));
    });
  }
}

// K of all rows, body frames (evaluate_item computes the right-hand sides as well).
template <class T, class Model, class Rows>
inline void place_rows(const Model& m, const Rows& c, WorkspaceData<T>& w) {
  sweep_support_rotations(m, c, w);
  const T o(0);
  for (int index = 0; index < c.item_count; ++index) {
    const auto& item = c.items[index];
    int r = item.row_begin;
    const auto put = [&](const Force<T>& row) {
      store(w.K + 6 * r, is_active(c, r) ? row : Force<T>{{o, o, o}, {o, o, o}});
      ++r;
    };
    if (item.custom >= 0) {
      for (int j = 0; j < item.row_count; ++j) put(load_force<T>(c.custom + 6 * (item.custom + j)));
      continue;
    }
    const Mat3<T> R = load_mat3<T>(w.Rs + 9 * (item.world_axes ? item.node : -1));
    const auto* frame = c.frames + 12 * index;
    for_rows_of_frame(item, frame, R, load_vec3<T>(frame + 9),
                      [&](const Vec3<T>&, const Force<T>& K, auto) { put(K); });
  }
}

// The joint of a node for rows, in packs or one by one (V as in cluster_rows.hpp): D = L diag(1 / d_inv) L^T, one
// row of U for each dof.
template <class J, class T, class Node = NodeData>
struct RowJoint {
  static constexpr int N = J::nv;
  const Node& node;
  T l[N][N], d_inv[N];
  Force<T> U[N];

  TENON_INLINE RowJoint(const Node& n, const WorkspaceData<T>& w) : node(n) {
    for (int r = 0; r < N; ++r) {
      const T* D = w.D + 6 * (n.v_index + r);
      for (int k = 0; k < r; ++k) l[r][k] = D[k];
      d_inv[r] = D[r];
      U[r] = load_force<T>(w.U + 6 * (n.v_index + r));
    }
  }

  // x := K S L^-T, so that x diag(d_inv) x^T is the joint's part of the Delassus matrix of the rows.
  template <class V>
  TENON_INLINE void project(const Force<V>& K, V (&x)[N]) const {
    for_each_column<J, T>(node, [&](auto r, auto S) { x[r.value] = dot(S, K); });
    for (int r = 0; r < N; ++r)
      for (int j = 0; j < r; ++j) x[r] = x[r] - V(l[r][j]) * x[j];
  }
  // x := L^-T diag(d_inv) x, the second half of D^-1.
  template <class V>
  TENON_INLINE void finish_solve(V (&x)[N]) const {
    for (int r = N - 1; r >= 0; --r) {
      x[r] = x[r] * V(d_inv[r]);
      for (int j = r + 1; j < N; ++j) x[r] = x[r] - V(l[j][r]) * x[j];
    }
  }
  // x := D^-1 x.
  template <class V>
  TENON_INLINE void solve(V (&x)[N]) const {
    for (int r = 0; r < N; ++r)
      for (int j = 0; j < r; ++j) x[r] = x[r] - V(l[r][j]) * x[j];
    finish_solve(x);
  }
  // K P^T = K - K S D^-1 U^T from x = K S L^-T, which is overwritten; body coordinates ([OSIMR] Eq. 8).
  template <class V>
  TENON_INLINE Force<V> pass(const Force<V>& K, V (&x)[N]) const {
    finish_solve(x);
    Force<V> passed = K;
    for (int r = 0; r < N; ++r) passed = passed - scaled(x[r], spread_to<V>(U[r]));
    return passed;
  }
  // Acceleration of the body under the force K (lanes: rows) when its parent has acceleration a: a + S D^-1
  // (S^T K - U^T a), [OSIMR] Alg. 2 line 10.
  TENON_INLINE Motion<Lanes<T>> respond(const Force<Lanes<T>>& K, const Motion<Lanes<T>>& a) const {
    Lanes<T> x[N];
    for_each_column<J, T>(node, [&](auto r, auto S) { x[r.value] = dot(S, K) - dot(a, spread(U[r.value])); });
    solve(x);
    Motion<Lanes<T>> moved = a;
    for_each_column<J, T>(node, [&](auto r, auto S) { add(moved, S, x[r.value]); });
    return moved;
  }
};

// Up to four rows of w.K into lanes, zeros in the others.
template <class T>
TENON_INLINE Force<Lanes<T>> gather_rows(int first, int count, const WorkspaceData<T>& w) {
  T row[6][4];
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 6; ++e) row[e][j] = j < count ? w.K[6 * (first + j) + e] : T(0);
  return load_rows(row[0], 4);
}

// Rows 0 to 3 (pack 0) or 4 and 5 (pack 1) of the unit matrix: unit forces on a body, or unit motions.
template <class T>
TENON_INLINE Force<Lanes<T>> unit_rows(int pack) {
  T unit[6][4];
  for (int e = 0; e < 6; ++e)
    for (int j = 0; j < 4; ++j) unit[e][j] = T(e == 4 * pack + j ? 1 : 0);
  return load_rows(unit[0], 4);
}

TENON_ISA_END
}  // namespace tenon
