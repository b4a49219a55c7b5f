// Loop constraints of planar linkages: clusters whose joints are hinges about one coordinate axis K and whose
// loops are closed by rows in the plane normal to it (ClusterKind). The equations of loop_rows.hpp in two
// coordinates, I and J, the next axes after K: poses are an angle and a point. With d from the predecessor's
// end to the successor's and e an axis of the predecessor,
//
//   phi = e . d,   K = +-(x_S - o) x e for a hinge at o,   -k = e . (a_S - a_P + w_P^2 d - 2 w_P x ddot),
//
// where ddot is the rate of d relative to the predecessor. In the frame of the cluster's parent, taken as
// fixed.
#pragma once

#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// What of a loop is evaluated: phi and K, or k.
struct LoopTerms {
  bool positions, velocities;
};

template <class T>
struct Vec2 {
  T x, y;
};
template <class T>
TENON_INLINE Vec2<T> operator+(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
TENON_INLINE Vec2<T> operator-(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
TENON_INLINE Vec2<T> operator*(const T& s, const Vec2<T>& a) {
  return {s * a.x, s * a.y};
}
template <class T>
TENON_INLINE T dot(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class T>
TENON_INLINE T cross(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.y - a.y * b.x;
}
// rate x a
template <class T>
TENON_INLINE Vec2<T> cross(const T& rate, const Vec2<T>& a) {
  return {-(rate * a.y), rate * a.x};
}

// A body: cosine and sine of its angle, origin, rate; velocity and acceleration (at qdd = 0) of the origin.
template <class T>
struct PlanarBody {
  T c, s;
  Vec2<T> o;
  T rate;
  Vec2<T> v, a;

  TENON_INLINE Vec2<T> turned(const Vec2<T>& r) const { return {c * r.x - s * r.y, s * r.x + c * r.y}; }
  TENON_INLINE Vec2<T> velocity(const Vec2<T>& r) const { return v + cross(rate, r); }
  TENON_INLINE Vec2<T> acceleration(const Vec2<T>& r) const { return a - (rate * rate) * r; }
};
// Stored in the fields of spatial bodies, in the first numbers of each.
template <class T>
TENON_INLINE PlanarBody<T> load_planar_body(const ClusterData& c, int node, bool moves,
                                            const WorkspaceData<T>& w) {
  const T o(0);
  if (node < c.node_begin) return {T(1), o, {o, o}, o, {o, o}, {o, o}};
  const T *R = w.loop_R + 9 * node, *p = w.loop_p + 3 * node, *V = w.loop_V + 6 * node,
          *A = w.loop_A + 6 * node;
  if (!moves) return {R[0], R[1], {p[0], p[1]}, o, {o, o}, {o, o}};
  return {R[0], R[1], {p[0], p[1]}, V[0], {V[1], V[2]}, {A[0], A[1]}};
}
template <int K, class T>
TENON_INLINE Vec2<T> in_plane(const double* p) {
  return {T(p[(K + 1) % 3]), T(p[(K + 2) % 3])};
}

// Poses, velocities and accelerations of the bodies. After joint_angles.
template <int K, class T>
inline void move_planar_cluster(const ModelData& m, const ClusterData& c, const T* v, LoopTerms terms,
                                WorkspaceData<T>& w) {
  for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const PlanarBody<T> parent = load_planar_body(c, n.parent, terms.velocities, w);
    const Vec2<T> r = parent.turned(in_plane<K, T>(n.p));
    if (terms.positions) {
      const T cosine = w.cos_q[i], sine = w.sin_q[i];
      T *R = w.loop_R + 9 * i, *p = w.loop_p + 3 * i;
      R[0] = parent.c * cosine - parent.s * sine, R[1] = parent.s * cosine + parent.c * sine;
      p[0] = parent.o.x + r.x, p[1] = parent.o.y + r.y;
    }
    if (!terms.velocities) continue;
    const Vec2<T> velocity = parent.velocity(r), acceleration = parent.acceleration(r);
    T *V = w.loop_V + 6 * i, *A = w.loop_A + 6 * i;
    V[0] = parent.rate + T(n.sign) * v[n.v_index], V[1] = velocity.x, V[2] = velocity.y;
    A[0] = acceleration.x, A[1] = acceleration.y;
  }
}

// Columns of one row of K for the hinges between an end of the loop and the nearest common ancestor of both
// ends.
template <class T>
TENON_INLINE void planar_row_columns(const ModelData& m, const ClusterData& c, int from, int to, double side,
                                     const Vec2<T>& x, const Vec2<T>& e, T* row, const WorkspaceData<T>& w) {
  for (int i = from; i != to; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    const Vec2<T> o = {w.loop_p[3 * i], w.loop_p[3 * i + 1]};
    row[(n.v_index - c.v_begin) * c.row_count] = T(side * n.sign) * cross(x - o, e);
  }
}

template <int K, class T>
inline void evaluate_planar_loop(const ModelData& m, const ClusterData& c, const LoopConstraintData& loop,
                                 LoopTerms terms, WorkspaceData<T>& w) {
  const PlanarBody<T> P = load_planar_body(c, loop.predecessor, terms.velocities, w),
                      S = load_planar_body(c, loop.successor, terms.velocities, w);
  const Vec2<T> rP = P.turned(in_plane<K, T>(loop.predecessor_p));
  const Vec2<T> rS = S.turned(in_plane<K, T>(loop.successor_p));
  const Vec2<T> x = S.o + rS, d = x - (P.o + rP);
  const Vec2<T> ddot = S.velocity(rS) - P.velocity(rP) - cross(P.rate, d);
  const Vec2<T> a =
      S.acceleration(rS) - P.acceleration(rP) + (P.rate * P.rate) * d - cross(P.rate + P.rate, ddot);
  int row = loop.row_begin;
  for (int axis = 0; axis < 2; ++axis) {
    if (!(loop.rows >> (3 + axis) & 1u)) continue;
    const double* R = loop.predecessor_R + axis;
    const Vec2<T> e = P.turned({T(R[3 * ((K + 1) % 3)]), T(R[3 * ((K + 2) % 3)])});
    w.loop_k[row] = terms.velocities ? -dot(e, a) : T(0);
    if (!terms.positions) {
      ++row;
      continue;
    }
    w.loop_phi[row] = dot(e, d);
    T* columns = w.loop_K + c.K_begin + (row - c.row_begin);
    planar_row_columns(m, c, loop.successor, loop.ancestor, 1.0, x, e, columns, w);
    planar_row_columns(m, c, loop.predecessor, loop.ancestor, -1.0, x, e, columns, w);
    ++row;
  }
}

TENON_ISA_END
}  // namespace tenon
