// X = M^-1 B without M: the articulated-body method ([RBDA] Table 7.1) without velocities and gravity, four
// columns of B at a time. The inertias are swept once; a column then needs two sweeps, over forces and
// accelerations:
//
//   in:   u = b - S^T p,  added to the parent: p + U D^-1 u
//   out:  a = X a_p,  x = D^-1 (u - U^T a),  a := a + S x
//
// With clusters of looped joints: X = G (G^T M G)^-1 G^T B, the same sweeps with u = G^T (b - S^T p) of a
// whole cluster (kernels/cluster/cluster_rows.hpp). O(n) a column.
#pragma once

#include "kernels/delassus/delassus_data.hpp"
#include "kernels/tree/articulated_inertia.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Inward step of body i of a cluster: adds the work of its joint to the independent coordinates and its force
// to its parent. After the cluster's last body in the sweep, u goes to the parent of the cluster.
template <class T>
inline void take_cluster_forces(const ModelData& m, const ClusterData& c, int i, InverseMassData<T>& d,
                                const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  T* u = d.ydd + 4 * c.v_begin;
  if (i == c.node_begin + c.node_count - 1)
    for (int e = 0; e < 4 * c.y_count; ++e) u[e] = T(0);
  const Force<Lanes<T>> p = load_rows(d.body + 24 * i, 4);
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    Lanes<T> work[J::nv];
    for_each_column<J, T>(n, [&](auto r, auto S) {
      work[r.value] = Lanes<T>::load(d.u + 4 * (n.v_index + r.value)) - dot(S, p);
    });
    for (int y = 0; y < c.y_count; ++y) {
      T G[J::nv];
      load_G<J>(c, n, y, w, G);
      Lanes<T> sum = Lanes<T>::load(u + 4 * y);
      for (int r = 0; r < J::nv; ++r) sum = sum + Lanes<T>(G[r]) * work[r];
      sum.store(u + 4 * y);
    }
    if (n.parent < 0) return;
    T* above = d.body + 24 * n.parent;
    store_rows(above, 4, load_rows(above, 4) + force_to_parent(spread(J::load(n, i, w)), p));
  });
  if (i > c.node_begin) return;
  Force<Lanes<T>> reaction{};
  pass_cluster(c, reaction, u, 4, w);
  if (c.parent < 0) return;
  T* above = d.body + 24 * c.parent;
  store_rows(above, 4, load_rows(above, 4) - reaction);
}

// Outward step of body i of a cluster.
template <class T>
inline void move_cluster_body(const ModelData& m, const ClusterData& c, int i, InverseMassData<T>& d,
                              const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  const auto motion = [&](int node) {
    return node < 0 ? Motion<Lanes<T>>{} : load_motions(d.body + 24 * node, 4);
  };
  const T* ydd = d.ydd + 4 * c.v_begin;
  if (i == c.node_begin) solve_cluster_rows(c, motion(c.parent), d.ydd + 4 * c.v_begin, 4, w);
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    store_motions(d.body + 24 * i, 4, move_cluster_joint<J>(c, n, i, motion(n.parent), ydd, 4, w));
    for (int r = 0; r < J::nv; ++r) Lanes<T>(T(0)).store(d.u + 4 * (n.v_index + r));
    for (int y = 0; y < c.y_count; ++y) {
      T G[J::nv];
      load_G<J>(c, n, y, w, G);
      for (int r = 0; r < J::nv; ++r) {
        T* x = d.u + 4 * (n.v_index + r);
        (Lanes<T>::load(x) + Lanes<T>(G[r]) * Lanes<T>::load(ydd + 4 * y)).store(x);
      }
    }
  });
}

// Inward sweep of the forces of four columns. u: four numbers a dof, the columns on entry.
template <bool loops, class T>
inline void sweep_column_forces(const ModelData& m, InverseMassData<T>& d, const WorkspaceData<T>& w) {
  for (int e = 0; e < 24 * m.node_count; ++e) d.body[e] = T(0);
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    if constexpr (loops) {
      if (const ClusterData* c = cluster_of(m, i)) {
        take_cluster_forces(m, *c, i, d, w);
        continue;
      }
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Force<Lanes<T>> p = load_rows(d.body + 24 * i, 4);
      Lanes<T> x[J::nv];
      T* u = d.u + 4 * n.v_index;
      for_each_column<J, T>(n, [&](auto r, auto S) {
        x[r.value] = Lanes<T>::load(u + 4 * r.value) - dot(S, p);
        x[r.value].store(u + 4 * r.value);
      });
      if (n.parent < 0) return;
      past.solve(x);
      for (int r = 0; r < J::nv; ++r) p = p + scaled(x[r], spread(past.U[r]));
      T* sum = d.body + 24 * n.parent;
      store_rows(sum, 4, load_rows(sum, 4) + force_to_parent(spread(J::load(n, i, w)), p));
    });
  }
}

// Outward sweep of accelerations; u becomes the columns of X.
template <bool loops, class T>
inline void sweep_column_accelerations(const ModelData& m, InverseMassData<T>& d, const WorkspaceData<T>& w) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if constexpr (loops) {
      if (const ClusterData* c = cluster_of(m, i)) {
        move_cluster_body(m, *c, i, d, w);
        continue;
      }
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Motion<Lanes<T>> a{};
      if (n.parent >= 0)
        a = motion_to_child(spread(J::load(n, i, w)), load_motions(d.body + 24 * n.parent, 4));
      Lanes<T> x[J::nv];
      T* u = d.u + 4 * n.v_index;
      for (int r = 0; r < J::nv; ++r) x[r] = Lanes<T>::load(u + 4 * r) - dot(a, spread(past.U[r]));
      past.solve(x);
      for (int r = 0; r < J::nv; ++r) x[r].store(u + 4 * r);
      for_each_column<J, T>(n, [&](auto r, auto S) { add(a, S, x[r.value]); });
      store_motions(d.body + 24 * i, 4, a);
    });
  }
}

// After sweep_inertias. X may be B.
template <class T>
void inverse_mass_times(const ModelData& m, const T* B, int ldb, int count, T* X, int ldx,
                        InverseMassData<T>& d, const WorkspaceData<T>& w) {
  for (int first = 0; first < count; first += 4) {
    const int columns = count - first < 4 ? count - first : 4;
    for (int k = 0; k < m.nv; ++k)
      for (int j = 0; j < 4; ++j)
        d.u[4 * k + j] =
            j < columns ? T(m.v_sign[k]) * B[static_cast<std::int64_t>(first + j) * ldb + k] : T(0);
    if (m.cluster_count > 0) {
      sweep_column_forces<true>(m, d, w);
      sweep_column_accelerations<true>(m, d, w);
    } else {
      sweep_column_forces<false>(m, d, w);
      sweep_column_accelerations<false>(m, d, w);
    }
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < m.nv; ++k)
        X[static_cast<std::int64_t>(first + j) * ldx + k] = T(m.v_sign[k]) * d.u[4 * k + j];
  }
}

TENON_ISA_END
}  // namespace tenon
