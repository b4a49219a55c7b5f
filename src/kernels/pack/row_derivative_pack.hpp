// Constrained dynamics of packs, and solves of its linearised equations, for products with its derivatives
// (constrained_product_pack.hpp). The equations
//
//   M x - J^T y = f,   J x + R y = g
//
// are solved by the articulated inertias of forward dynamics and an L D L^T factor of A = J M^-1 J^T + R:
//
//   y = A^-1 (g - J M^-1 f),   x = M^-1 f + M^-1 J^T y,
//
// and refined: what x and y leave of the second equation is solved for again, which shows how many digits they had. A has
// the square of the condition of the rows, so rows that depend on each other, or nearly, are not for this factor: a small
// pivot, or a large correction, and the lane is not trusted. Rows that a lane leaves out have K = 0, and a usual pivot. With
// embedded loops M^-1 stands for G (G^T M G)^-1 G^T, after loops_of_states.
// Cost O(n + m d + sum of m_k^2 over the coordinates + m^3) for the factor (delassus_pack.hpp), O(n + m^2) a solve.
#pragma once

#include "data/rank.hpp"
#include "kernels/constrained/row_forces.hpp"
#include "kernels/derivatives/row_products.hpp"
#include "kernels/pack/delassus_pack.hpp"
#include "kernels/pack/pack_rotation_rates.hpp"
#include "kernels/pack/product_pack.hpp"
#include "spatial/number_lists.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
inline T largest_of(const T* x, int count) {
  T largest(0);
  for (int i = 0; i < count; ++i) largest = larger(magnitude_of(x[i]), largest);
  return largest;
}
// Leaves lanes trusted where `small` is not above this share of `size`, and both are numbers.
template <class T>
TENON_INLINE void trust_where_small(const T& small, double share, const T& size, T& trusted) {
  const T zero(0), least(1e-30);
  trusted = select(lanes_above(T(share) * size + least, small), trusted, zero);
}

template <class T>
inline void factor_rows(const RowsOfStates<T>& rows, PackedRowDerivatives<T>& p) {
  constexpr double least = least_pivot_of_rows<typename T::Number>,
                   sure = sure_pivot_of_derivatives<typename T::Number>;
  const int n = rows.row_count;
  p.all_sure = T(1);
  for (int r = 0; r < n; ++r) {
    T& diagonal = p.A[r * (n + 1)];
    diagonal = diagonal + rows.compliance[r];
    if (rows.some_inactive) diagonal = diagonal + T(rows.scale[r]) * (T(1) - rows.active[r]);
    p.usual[r] = larger(diagonal, T(rows.scale[r]));
  }
  factor_ldl(n, n, p.A, [&](int r, T& pivot) {
    const auto good = lanes_above(pivot, T(least) * p.usual[r]);
    p.all_sure = select(lanes_above(pivot, T(sure) * p.usual[r]), p.all_sure, T(0));
    p.trusted = select(good, p.trusted, T(0));
    pivot = select(good, pivot, p.usual[r]);
  });
}

// K of all rows times the motions of bodies, subtracted from p.rest.
template <class T>
inline void subtract_motions(const RowsOfStates<T>& rows, const T* motion, PackedRowDerivatives<T>& p,
                             const WorkspaceData<T>& w) {
  for (int index = 0; index < rows.item_count; ++index) {
    const ConstraintItem& item = rows.items[index];
    if (item.node < 0) continue;
    const Motion<T> a = load_motion<T>(motion + 6 * item.node);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r)
      p.rest[r] = p.rest[r] - dot(a, load_force<T>(w.K + 6 * r));
  }
}

// x := M^-1 J^T y, and in d.moved the motions of bodies, of trees. What a force of each row does on its way inward is among the
// numbers of the Delassus matrix (fill_delassus), so only the way out is left.
template <class T>
inline void respond_to_rows(const ModelData& m, const T* y, T* x, const PackedDelassus<T>& of_rows,
                            PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  for (int k = 0, nv = m.nv; k < nv; ++k) {
    const T* const carried = of_rows.x + k * of_rows.rows;
    T sum(0);
    for (int r = of_rows.first[k], end = of_rows.end[k]; r < end; ++r) sum = sum + carried[r] * y[r];
    x[k] = sum;
  }
  clear_world(d.moved);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      if constexpr (J::nv > 1) {  // times L of D = L diag L^T
        const RowJoint<J, T> past(n, w);
        for (int r = J::nv - 1; r > 0; --r)
          for (int j = 0; j < r; ++j) x[n.v_index + r] = x[n.v_index + r] + past.l[r][j] * x[n.v_index + j];
      }
    });
    move_out(m, i, x, d.moved, w);
  }
}

// x += M^-1 J^T y and p.b := y, for which J and R give p.rest.
template <class T>
inline void add_response(const ModelData& m, const RowsOfStates<T>& rows, T* x, PackedRowDerivatives<T>& p,
                         PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  constexpr double most = most_correction_of_rows<typename T::Number>;
  const int n = rows.row_count;
  const bool tree = !takes_loops<T> || m.cluster_count == 0;
  T *const b = p.b, *const step = p.step;
  const T* const rest = p.rest;
  T size = largest_of(x, m.nv), forces(0);
  clear_list(b, n);
  for (const bool last : {false, true}) {
    for (int r = 0; r < n; ++r) step[r] = rest[r];
    solve_ldl(n, n, p.A, step);
    add_list(step, n, b);
    if (tree) respond_to_rows(m, step, p.x, p.delassus, d, w);
    for (int r = 0; r < n; ++r) step[r] = -step[r];
    if (!tree) {
      clear_forces(d.force, m.node_count);
      add_row_forces(rows, step, d.force, w);
      clear_list(p.x, m.nv);
      solve_for_forces(m, p.x, d, w);
    }
    add_list(p.x, m.nv, x);
    size = larger(largest_of(x, m.nv), size), forces = larger(largest_of(b, n), forces);
    if (last) break;
    for (int r = 0; r < n; ++r) p.rest[r] = p.rest[r] + rows.compliance[r] * p.step[r];
    subtract_motions(rows, d.moved, p, w);
  }
  trust_where_small(largest_of(p.x, m.nv), most, size, p.trusted);
  trust_where_small(largest_of(step, n), most, forces, p.trusted);
}

template <class T>
void solve_rows_of_states(const ModelData& m, const ConstraintData& c, T* x, PackedRowDerivatives<T>& p,
                          PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows{c, p.delassus.settings};
  solve_by_inertias(m, x, d, w);
  for (int r = 0; r < rows.row_count; ++r) p.rest[r] = rows.some_inactive ? rows.active[r] * p.b[r] : p.b[r];
  subtract_motions(rows, d.moved, p, w);
  add_response(m, rows, x, p, d, w);
}

template <class T>
bool row_dynamics_of_states(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                            PackedRowDerivatives<T>& p, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows{c, p.delassus.settings};
  evaluate_rows(m, rows, in, w);
  if (!sweep_inertias_without_rows(m, in, w)) return false;
  sweep_accelerations(m, in, qdd, w);
  fill_delassus(m, c, p.delassus, p.A, w);
  factor_rows(rows, p);
  for (int r = 0; r < rows.row_count; ++r) p.rest[r] = w.k[r];
  subtract_motions(rows, w.a, p, w);
  add_response(m, rows, qdd, p, d, w);
  const int stride = whole_packs(c.row_count);
  for (int r = 0; r < rows.row_count; ++r) {
    p.lambda[r] = p.b[r];
    store_some_rows(load_force<T>(w.K + 6 * r), r, 1, stride, p.Kw);
  }
  for (int e = 0; e < 6 * m.node_count; ++e) p.wrench[e] = in.wrenches ? in.wrenches[e] : T(0);
  add_row_forces(rows, p.lambda, p.wrench, w);
  return true;
}

TENON_ISA_END
}  // namespace tenon
