// Loop constraints of clusters, phi(q) = 0, K v = 0, K qdd = k, and their explicit form v = G ydot, qdd = G
// yddot + g ([LOOPS1] II-B, [LOOPS2] II-C; equations in data/model_data.hpp).
//
// A loop depends only on the joints between its ends, all in one cluster, so everything is computed in the
// frame of the cluster's parent body as if that were fixed. Dependent and independent coordinates were chosen
// when the model was compiled; here K_d is factored. Where its pivots vanish (a dead centre) the independent
// velocities do not determine the dependent ones, and the caller gets the number of that cluster instead of a
// wrong G.
//
// Cost: O(bodies) for the poses of a cluster, O(rows x joints in the loop) for K, O(rows d (d + y)) for G.
#pragma once

#include "kernels/cluster/loop_rows.hpp"
#include "kernels/cluster/planar_loops.hpp"
#include "kernels/joint/small_split.hpp"
#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Poses and columns of S of the bodies of a cluster in the frame of its parent, which is taken as fixed. After
// joint_angles.
template <class T>
void place_cluster(const ModelData& m, const ClusterData& c, const T* q, WorkspaceData<T>& w) {
  const T o(0), e(1);
  for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const bool base = n.parent < c.node_begin;
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      const auto X = J::load(n, i, w);
      const Mat3<T> Rp = base ? Mat3<T>{e, o, o, o, e, o, o, o, e} : load_mat3<T>(w.loop_R + 9 * n.parent);
      const Vec3<T> pp = base ? Vec3<T>{o, o, o} : load_vec3<T>(w.loop_p + 3 * n.parent);
      const Mat3<T> R = compose(Rp, X.R);
      const Vec3<T> p = pp + Rp * X.p;
      store(w.loop_R + 9 * i, R);
      store(w.loop_p + 3 * i, p);
      for_each_column<J, T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        store(w.loop_S + 6 * k, outer_motion(S, Transform<Rot3<T>, T>{{R}, p}, T(m.v_sign[k])));
      });
    });
  }
}

// Velocities and velocity-product accelerations of the same bodies, after place_cluster.
template <class T>
void move_cluster(const ModelData& m, const ClusterData& c, const T* v, WorkspaceData<T>& w) {
  for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    Motion<T> moved{};
    with_joint(n, [&](auto joint) {
      for (int k = n.v_index; k < n.v_index + decltype(joint)::nv; ++k) {
        const Motion<T> s = load_motion<T>(w.loop_S + 6 * k);
        moved = moved + Motion<T>{v[k] * s.w, v[k] * s.v};
      }
    });
    const bool base = n.parent < c.node_begin;
    const Motion<T> Vp = base ? Motion<T>{} : load_motion<T>(w.loop_V + 6 * n.parent);
    const Motion<T> Ap = base ? Motion<T>{} : load_motion<T>(w.loop_A + 6 * n.parent);
    const Motion<T> V = Vp + moved;
    store(w.loop_V + 6 * i, V);
    store(w.loop_A + 6 * i, Ap + cross(V, moved));
  }
}

// Pose and motion of a body of a cluster relative to the cluster's parent; those of the parent are zero.
template <class T>
struct LoopBody {
  Mat3<T> R;
  Vec3<T> p;
  Motion<T> V, A;
};
template <class T>
TENON_INLINE LoopBody<T> load_loop_body(const ClusterData& c, int node, bool moves,
                                        const WorkspaceData<T>& w) {
  const T o(0), e(1);
  if (node < c.node_begin) return {{e, o, o, o, e, o, o, o, e}, {o, o, o}, {}, {}};
  LoopBody<T> body = {load_mat3<T>(w.loop_R + 9 * node), load_vec3<T>(w.loop_p + 3 * node), {}, {}};
  if (moves) body.V = load_motion<T>(w.loop_V + 6 * node), body.A = load_motion<T>(w.loop_A + 6 * node);
  return body;
}

// Columns of one row of K for the joints between an end of the loop and the nearest common ancestor of both
// ends.
template <class T>
TENON_INLINE void loop_row_columns(const ModelData& m, const ClusterData& c, int from, int to,
                                   const Force<T>& f, T* row, const WorkspaceData<T>& w) {
  for (int i = from; i != to; i = m.nodes[i].parent) {
    const int first = m.nodes[i].v_index;
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    for (int k = first; k < end; ++k)
      row[(k - c.v_begin) * c.row_count] = dot(load_motion<T>(w.loop_S + 6 * k), f);
  }
}

template <class T>
void evaluate_geometric_loop(const ModelData& m, const ClusterData& c, const LoopConstraintData& loop,
                             LoopTerms terms, WorkspaceData<T>& w) {
  const LoopBody<T> P = load_loop_body(c, loop.predecessor, terms.velocities, w),
                    S = load_loop_body(c, loop.successor, terms.velocities, w);
  const LoopEnds<T> ends = {P.R * load_mat3<T>(loop.predecessor_R), S.R * load_mat3<T>(loop.successor_R),
                            P.p + P.R * load_vec3<T>(loop.predecessor_p),
                            S.p + S.R * load_vec3<T>(loop.successor_p)};
  const LoopEndVelocities<T> velocities = {P.V, S.V};
  const Motion<T> V = S.V - P.V, A = S.A - P.A;
  const Vec3<T> none{T(0), T(0), T(0)};
  LoopTurn<T> turn{};
  if (loop.rows & 7u) turn = loop_turn(loop.rows, ends, velocities);
  int row = loop.row_begin;
  for (int bit = 0; bit < 6; ++bit) {
    if (!(loop.rows >> bit & 1u)) continue;
    const LoopRow<T> r = bit < 3 ? LoopRow<T>{turn.phi[bit], {turn.n[bit], none}, {turn.ndot[bit], none}}
                                 : linear_loop_row(bit, ends, velocities);
    w.loop_k[row] = terms.velocities ? -(dot(V, r.fdot) + dot(A, r.f)) : T(0);
    if (!terms.positions) {
      ++row;
      continue;
    }
    w.loop_phi[row] = r.phi;
    T* K = w.loop_K + c.K_begin + (row - c.row_begin);
    const Force<T> minus = {-r.f.n, -r.f.f};
    loop_row_columns(m, c, loop.successor, loop.ancestor, r.f, K, w);
    loop_row_columns(m, c, loop.predecessor, loop.ancestor, minus, K, w);
    ++row;
  }
}

template <class T>
void evaluate_coupling(const ModelData& m, const LoopConstraintData& loop, const T* q, WorkspaceData<T>& w) {
  for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r) w.loop_phi[r] = T(-m.loop_offset[r]);
  for (int e = loop.entry_begin; e < loop.entry_end; ++e) {
    const CouplingEntry& entry = m.coupling_entries[e];
    w.loop_phi[entry.row] = w.loop_phi[entry.row] + T(entry.coefficient) * q[entry.q_index];
  }
}

template <class T>
void evaluate_general_cluster(const ModelData& m, const ClusterData& c, const T* q, const T* v,
                              LoopTerms terms, WorkspaceData<T>& w) {
  if (terms.positions && !c.constant_G) place_cluster(m, c, q, w);
  if (terms.velocities && !c.constant_G) move_cluster(m, c, v, w);
  for (int l = c.constraint_begin; l < c.constraint_end; ++l)
    if (m.loop_constraints[l].kind == loop_geometric)
      evaluate_geometric_loop(m, c, m.loop_constraints[l], terms, w);
}
template <int K, class T>
void evaluate_planar_cluster(const ModelData& m, const ClusterData& c, const T* v, LoopTerms terms,
                             WorkspaceData<T>& w) {
  move_planar_cluster<K>(m, c, v, terms, w);
  for (int l = c.constraint_begin; l < c.constraint_end; ++l)
    if (m.loop_constraints[l].kind == loop_geometric)
      evaluate_planar_loop<K>(m, c, m.loop_constraints[l], terms, w);
}

// phi and K, or k, or all of them, of a cluster; without velocities k is zero. Rows of callbacks and constant
// entries of K are already there.
template <class T>
void evaluate_cluster(const ModelData& m, const ClusterData& c, const T* q, const T* v, LoopTerms terms,
                      WorkspaceData<T>& w) {
  for (int l = c.constraint_begin; terms.positions && l < c.constraint_end; ++l)
    if (m.loop_constraints[l].kind == loop_coupling) evaluate_coupling(m, m.loop_constraints[l], q, w);
  switch (c.kind) {
    case cluster_planar_x:
      return evaluate_planar_cluster<0>(m, c, v, terms, w);
    case cluster_planar_y:
      return evaluate_planar_cluster<1>(m, c, v, terms, w);
    case cluster_planar_z:
      return evaluate_planar_cluster<2>(m, c, v, terms, w);
    default:
      return evaluate_general_cluster(m, c, q, v, terms, w);
  }
}

// split_cluster with two rows and two dependent coordinates, as most linkages have: K is read in place.
template <class T>
bool split_two(const ModelData& m, const ClusterData& c, LoopTerms terms, WorkspaceData<T>& w) {
  const T* K = w.loop_K + c.K_begin - 2 * c.v_begin;
  const int first = m.dependent[c.d_begin], second = m.dependent[c.d_begin + 1];
  const T *p = K + 2 * first, *q = K + 2 * second, entries[4] = {p[0], p[1], q[0], q[1]};
  const T determinant = determinant_of(p, q);
  if (!determines(determinant, largest_entry(entries, 4))) return false;
  const TwoByTwo<T> inverse(p, q, determinant);
  T* G = w.G + c.G_begin - c.v_begin;
  for (int j = 0; terms.positions && j < c.y_count; ++j, G += c.v_count) {
    const T* b = K + 2 * m.independent[c.y_begin + j];
    G[first] = -inverse.first(b), G[second] = -inverse.second(b);
  }
  const T* k = w.loop_k + c.row_begin;
  w.g[first] = inverse.first(k), w.g[second] = inverse.second(k);
  return true;
}

// G (with terms.positions) and g of a cluster from its K and k, by solve (split_solve). False at a singular
// configuration; G and g then keep their old values.
template <class T, class Solve>
TENON_INLINE bool split_cluster_by(const Solve& solve, const ModelData& m, const ClusterData& c,
                                   LoopTerms terms, WorkspaceData<T>& w) {
  const int rows = c.row_count, d = c.d_count, y = terms.positions ? c.y_count : 0;
  const T* K = w.loop_K + c.K_begin;
  T* A = w.loop_scratch;
  const auto copy_column = [&](int to, int k) {
    for (int r = 0; r < rows; ++r) A[to * rows + r] = K[(k - c.v_begin) * rows + r];
  };
  for (int j = 0; j < d; ++j) copy_column(j, m.dependent[c.d_begin + j]);
  for (int j = 0; j < y; ++j) copy_column(d + j, m.independent[c.y_begin + j]);
  for (int r = 0; r < rows; ++r) A[(d + y) * rows + r] = w.loop_k[c.row_begin + r];
  if (!solve(A, rows, d, d + y + 1)) return false;
  T* G = w.G + c.G_begin;
  for (int i = 0; i < d; ++i) {
    const int k = m.dependent[c.d_begin + i];
    for (int j = 0; j < y; ++j) G[j * c.v_count + k - c.v_begin] = -A[(d + j) * rows + i];
    w.g[k] = A[(d + y) * rows + i];
  }
  return true;
}
template <class T>
bool split_cluster(const ModelData& m, const ClusterData& c, LoopTerms terms, WorkspaceData<T>& w) {
  if (c.row_count == 2 && c.d_count == 2) return split_two(m, c, terms, w);
  return split_cluster_by([](T* A, int rows, int n, int columns) { return split_solve(A, rows, n, columns); },
                          m, c, terms, w);
}

// phi, K and k of all clusters at (q, v); v null: at rest.
template <class T>
void loop_constraints(const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  for (int c = 0; c < m.cluster_count; ++c) evaluate_cluster(m, m.clusters[c], q, v, {true, v != nullptr}, w);
}

// G and g of all clusters, after the callbacks have filled their rows. v null: at rest, g = 0. Returns the
// first cluster whose independent coordinates do not determine the dependent ones at q, or -1.
template <class T>
int cluster_constraints(const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  const LoopTerms terms = {true, v != nullptr};
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G) continue;
    evaluate_cluster(m, c, q, v, terms, w);
    if (!split_cluster(m, c, terms, w)) return i;
  }
  return -1;
}

// g alone, at a velocity that was found with the G of cluster_constraints at the same q.
template <class T>
void cluster_bias(const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
  const LoopTerms terms = {false, true};
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G) continue;
    evaluate_cluster(m, c, q, v, terms, w);
    split_cluster(m, c, terms, w);
  }
}

TENON_ISA_END
}  // namespace tenon
