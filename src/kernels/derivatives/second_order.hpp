// Second derivatives of y^T r + mu^T s, the equations of motion r and the rows s with constant multipliers (calls/derivatives/
// second_order.cpp): the gradient of rnea_products.hpp and row_products.hpp on numbers that carry their changes along seven
// coordinates at a time, or along one change of all (spatial/changes.hpp). One text for first and second derivatives. O(n + m)
// for seven columns.
//
// In independent coordinates of a model with embedded loops q moves by G dy, which keeps loops closed, and G and g change as
// kernels/cluster/ finds them on numbers with changes; so do the forces of loops and the multipliers of loop_products.hpp.
#pragma once

#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "kernels/constrained/row_forces.hpp"
#include "kernels/derivatives/loop_products.hpp"
#include "kernels/derivatives/second_order_data.hpp"
#include "kernels/joint/integrate.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A state in the coordinates of the tree.
template <class T>
struct MovedState {
  const T *q, *v, *qdd, *y;
};
// q moves along x.step (of_q; else not at all) and v is x.v_moved.
template <class T>
inline MovedState<T> moved_state(const ModelData& m, bool of_q, SecondOrderData<T>& x, WorkspaceData<T>& w) {
  const T *none = nullptr, *step = x.step;
  if (x.independent) times_explicit(m, w.G, x.step, none, x.tree_step), step = x.tree_step;
  for (int e = 0; e < m.nq; ++e) x.q_moved[e] = T(x.q[e]);
  if (of_q) integrate_joints(m, step, 1, x.q_moved);
  if (!x.independent) return {x.q_moved, x.v_moved, x.qdd, x.y};
  const bool varies = m.varying_clusters > 0;
  if (varies) cluster_constraints(m, x.q_moved, none, w);
  times_explicit(m, w.G, x.v_moved, none, x.tree_v);
  if (varies) cluster_bias(m, x.q_moved, x.tree_v, w);
  times_explicit(m, w.G, x.qdd, varies ? w.g : none, x.tree_qdd);
  times_explicit(m, w.G, x.y, none, x.tree_y);
  return {x.q_moved, x.tree_v, x.tree_qdd, x.tree_y};
}

// The forces of loops, into x.wrench and the memory of loops, and how their rows change. After sweep_motion.
template <class T>
inline void place_moved_loops(const ModelData& m, const MovedState<T>& at, SecondOrderData<T>& x,
                              WorkspaceData<T>& w) {
  LoopDerivativeData<T>& loops = x.loops;
  place_body_forces(m, x.wrench, w);
  sum_over_subtrees<2>(m, w.fw);
  derivative_torques(m, at.qdd, loops.rest, w);
  for (int k = 0; k < m.nv; ++k) {
    loops.rest[k] = loops.rest[k] - T(x.force[k]);
    if (x.damping) loops.rest[k] = loops.rest[k] + T(x.damping[k]) * at.v[k];
  }
  row_gradients(m, loops.rows, &loops.of_velocities, &loops.of_accelerations, false, w);
  factor_loop_rows(m, LoopRows::varying, loops, w);
  balance_loops(m, LoopRows::varying, loops.rest, loops.mu, loops);
  add_loop_forces(loops, x.wrench, w);
}

// The gradients of y^T r - b^T s by q, v, a and lambda, where q moves along x.step (of_q; else not at all) and v is x.v_moved.
// rows: null for none.
template <class T>
inline void moved_gradients(const ModelData& m, const ConstraintData* rows, bool of_q, SecondOrderData<T>& x,
                            WorkspaceData<T>& w) {
  const MovedState<T> at = moved_state(m, of_q, x, w);
  const bool held = x.independent && m.varying_clusters > 0;
  for (int e = 0; e < 6 * m.node_count; ++e) x.wrench[e] = x.wrenches[e];
  if (rows) {
    sweep_motion(m, at.q, at.v, static_cast<const T*>(nullptr), w);
    place_constraint_rows(m, *rows, w);
    add_row_forces(*rows, x.lambda, x.wrench, w);
  }
  sweep_motion(m, at.q, at.v, at.qdd, w);
  if (held) place_moved_loops(m, at, x, w);
  ProductRows<T> acting{};
  if (held) {
    acting.of[acting.count++] = loop_rows(x.loops);
    acting.turning = x.loops.turning, acting.theta = x.loops.theta;
  }
  if (rows) {
    acting.of[acting.count++] = {rows, w.Kw, w.side_Kw, nullptr, x.lambda, x.b, nullptr};
    acting.turning = x.rows.turning, acting.theta = x.rows.theta;
  }
  if (held)
    held_vjp(m, acting, LoopRows::varying, x.wrench, at.y, static_cast<const T*>(nullptr), x.by_q, x.by_v,
             x.by_a, x.loops, x.products, w);
  else if (rows)
    constrained_vjp(m, acting, x.wrench, at.y, x.by_q, x.by_v, x.by_a, x.products, w);
  else
    rnea_vjp(m, x.wrench, at.y, x.by_q, x.by_v, x.by_a, x.products, w);
  if (rows) {  // - J y
    for (int r = 0; r < whole_packs(rows->row_count); ++r) x.by_lambda[r] = T(0);
    for_row_sides(acting.of[acting.count - 1],
                  [&](int r, const RowSide& side, const Force<T>& K, const Force<T>&, const Force<T>&) {
                    x.by_lambda[r] = x.by_lambda[r] - dot(load_body_motion(x.products.moved, side.body), K);
                  });
  }
  if (!x.independent) return;
  for (int k = 0; held && x.damping && k < m.nv; ++k) x.by_v[k] = x.by_v[k] + T(x.damping[k]) * at.y[k];
  if (held) hold_velocities(m, LoopRows::varying, x.by_v, x.by_q, x.loops, w);
  for (T* by : {x.by_q, x.by_v, x.by_a}) {
    times_explicit_transposed(m, w.G, by, x.gathered);
    for (int j = 0; j < m.ny; ++j) by[j] = x.gathered[j];
  }
}

// The number of coordinates of steps and results.
template <class T>
TENON_INLINE int coordinates_of(const ModelData& m, const SecondOrderData<T>& x) {
  return x.independent ? m.ny : m.nv;
}

// The same where coordinates first to first + count - 1 move, q or v; count at most seven.
inline void gradient_changes(const ModelData& m, const ConstraintData* rows, bool of_v, int first, int count,
                             SecondOrderData<Changes>& x, WorkspaceData<Changes>& w) {
  for (int k = 0; k < coordinates_of(m, x); ++k) x.step[k] = Changes(0), x.v_moved[k] = x.v[k];
  for (int l = 0; l < count; ++l) (of_v ? x.v_moved : x.step)[first + l].change(l) = 1;
  moved_gradients(m, rows, !of_v, x, w);
}

// The same along one change: of q and v, and of a and lambda as x has it. That of the gradient
// by q is by e of the number at integrate(q, dq + e), e = 0: the axes that move along dq add half of their bracket, which is
// taken away. Of axes of independent coordinates the bracket is one too, and so has the independent coordinates of that of
// joints.
inline void gradient_change(const ModelData& m, const ConstraintData* rows, const double* dq,
                            const double* dv, SecondOrderData<OneChange>& x, WorkspaceData<OneChange>& w) {
  const int n = coordinates_of(m, x);
  for (int k = 0; k < n; ++k) {
    x.step[k] = OneChange(0), x.v_moved[k] = x.v[k];
    x.step[k].change(0) = dq[k], x.v_moved[k].change(0) = dv[k];
  }
  moved_gradients(m, rows, true, x, w);
  const OneChange* const step = x.independent ? x.tree_step : x.step;
  const auto gradient = [&](int k) {
    const int place = x.independent ? m.y_index[k] : k;
    return place < 0 ? 0.0 : x.by_q[place].value();
  };
  for (int k = 0; k < m.nv; ++k) x.turned[k] = OneChange(0);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& node = m.nodes[i];
    if (node.kind < joint_spherical) continue;
    double along[6], unit[6] = {}, half[6];
    int count = node.kind == joint_floating ? 6 : 3;
    for (int e = 0; e < count; ++e) along[e] = step[node.v_index + e].change(0);
    for (int e = 0; e < count; ++e) {
      unit[e] = 1;
      joint_bracket(node.kind, along, unit, half);
      unit[e] = 0;
      double& turned = x.turned[node.v_index + e].change(0);
      for (int k = 0; k < count; ++k) turned += 0.5 * gradient(node.v_index + k) * half[k];
    }
  }
  const OneChange* turned = x.turned;
  if (x.independent) times_explicit_transposed(m, w.G, x.turned, x.gathered), turned = x.gathered;
  for (int k = 0; k < n; ++k) x.by_q[k].change(0) -= turned[k].change(0);
}

// C := C + A^T B, all column-major with columns of `length` numbers, C rows x columns.
inline void add_transposed_product(int length, const double* A, int rows, std::int64_t lda, const double* B,
                                   int columns, std::int64_t ldb, double* C, std::int64_t ldc) {
  constexpr int tile = 3;
  for (int i = 0; i < rows; i += tile) {
    for (int j = 0; j < columns; j += tile) {
      const int height = rows - i < tile ? rows - i : tile, width = columns - j < tile ? columns - j : tile;
      Lanes<double> sum[tile][tile];
      const double *a[tile], *b[tile];
      for (int e = 0; e < tile; ++e) {
        a[e] = A + (i + (e < height ? e : 0)) * lda, b[e] = B + (j + (e < width ? e : 0)) * ldb;
        for (Lanes<double>& x : sum[e]) x = Lanes<double>(0.0);
      }
      int k = 0;
      for (; k + 4 <= length; k += 4)
        unroll<tile>([&](auto f) {
          const Lanes<double> y = Lanes<double>::load(b[f] + k);
          unroll<tile>([&](auto e) { sum[e][f] = sum[e][f] + Lanes<double>::load(a[e] + k) * y; });
        });
      for (int f = 0; f < width; ++f) {
        for (int e = 0; e < height; ++e) {
          double total = sum[e][f].sum();
          for (int l = k; l < length; ++l) total += a[e][l] * b[f][l];
          C[i + e + (j + f) * ldc] += total;
        }
      }
    }
  }
}

TENON_ISA_END
}  // namespace tenon
