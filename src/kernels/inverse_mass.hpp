// X = M^-1 B without M: the articulated-body method ([RBDA] table 7.1) without velocities and gravity, four
// columns of B at a time. The inertias are swept once, a column then takes two sweeps over forces and
// accelerations:
//
//   in:   u = b - S^T p,  handed to the parent: p + U D^-1 u
//   out:  a = X a_p,  x = D^-1 (u - U^T a),  a := a + S x
//
// O(n) a column.
#pragma once

#include "kernels/articulated_inertia.hpp"
#include "kernels/delassus_data.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Forces of four columns from the leaves to the root. u: four numbers a dof, the columns on entry.
template <class T>
inline void sweep_column_forces(const ModelData& m, InverseMassData<T>& d, const WorkspaceData<T>& w) {
  for (int e = 0; e < 24 * m.node_count; ++e) d.body[e] = T(0);
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Force<Lanes<T>> p = load_rows(d.body + 24 * i, 4);
      Lanes<T> x[J::nv];
      T* u = d.u + 4 * n.v_index;
      for_each_axis<J>([&](auto r, auto axis) {
        x[r.value] = Lanes<T>::load(u + 4 * r.value) - at<axis.value>(p);
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

// Accelerations out again; u becomes the columns of X.
template <class T>
inline void sweep_column_accelerations(const ModelData& m, InverseMassData<T>& d, const WorkspaceData<T>& w) {
  const Lanes<T> o(T(0));
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Motion<Lanes<T>> a = {{o, o, o}, {o, o, o}};
      if (n.parent >= 0)
        a = motion_to_child(spread(J::load(n, i, w)), load_motions(d.body + 24 * n.parent, 4));
      Lanes<T> x[J::nv];
      T* u = d.u + 4 * n.v_index;
      for (int r = 0; r < J::nv; ++r) x[r] = Lanes<T>::load(u + 4 * r) - dot(a, spread(past.U[r]));
      past.solve(x);
      for (int r = 0; r < J::nv; ++r) x[r].store(u + 4 * r);
      for_each_axis<J>([&](auto r, auto axis) { at<axis.value>(a) = at<axis.value>(a) + x[r.value]; });
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
        d.u[4 * k + j] = j < columns ? T(m.v_sign[k]) * B[static_cast<long>(first + j) * ldb + k] : T(0);
    sweep_column_forces(m, d, w);
    sweep_column_accelerations(m, d, w);
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < m.nv; ++k)
        X[static_cast<long>(first + j) * ldx + k] = T(m.v_sign[k]) * d.u[4 * k + j];
  }
}

TENON_ISA_END
}  // namespace tenon
