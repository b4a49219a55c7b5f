// Second derivatives of y^T r + mu^T s, the equations of motion r and the rows s with constant multipliers (calls/derivatives/
// second_order.cpp): the gradient of rnea_products.hpp and row_products.hpp on numbers that carry their changes along seven
// coordinates at a time, or along one change of all (spatial/changes.hpp). One text for first and second derivatives. O(n + m)
// for seven columns.
#pragma once

#include "kernels/constrained/row_forces.hpp"
#include "kernels/derivatives/row_products.hpp"
#include "kernels/derivatives/second_order_data.hpp"
#include "kernels/joint/integrate.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The gradients of y^T r - b^T s by q, v, a and lambda, where q moves along x.step (of_q; else not at all) and v is x.v_moved.
// rows: null for none.
template <class T>
inline void moved_gradients(const ModelData& m, const ConstraintData* rows, bool of_q, SecondOrderData<T>& x,
                            WorkspaceData<T>& w) {
  for (int e = 0; e < m.nq; ++e) x.q_moved[e] = T(x.q[e]);
  if (of_q) integrate_joints(m, x.step, 1, x.q_moved);
  const T *q = x.q_moved, *v = x.v_moved;
  for (int e = 0; e < 6 * m.node_count; ++e) x.wrench[e] = x.wrenches[e];
  if (!rows) {
    sweep_motion(m, q, v, x.qdd, w);
    rnea_vjp(m, x.wrench, x.y, x.by_q, x.by_v, x.by_a, x.products, w);
    return;
  }
  sweep_motion(m, q, v, static_cast<const T*>(nullptr), w);
  place_constraint_rows(m, *rows, w);
  add_row_forces(*rows, x.lambda, x.wrench, w);
  sweep_motion(m, q, v, x.qdd, w);
  row_gradients(m, *rows, false, x.rows, w);
  const ProductRows<T> acting = {
      {{rows, w.Kw, w.side_Kw, &x.rows, x.lambda, x.b, nullptr}, {}}, 1, x.rows.turning, x.rows.theta};
  constrained_vjp(m, acting, x.wrench, x.y, x.by_q, x.by_v, x.by_a, x.products, w);
  // - J y.
  for (int r = 0; r < whole_packs(rows->row_count); ++r) x.by_lambda[r] = T(0);
  for_row_sides(acting.of[0], [&](int r, int body, const Force<T>& K, const Force<T>&, const Force<T>&) {
    x.by_lambda[r] = x.by_lambda[r] - dot(load_body_motion(x.products.moved, body), K);
  });
}

// The same where coordinates first to first + count - 1 move, q or v; count at most seven.
inline void gradient_changes(const ModelData& m, const ConstraintData* rows, bool of_v, int first, int count,
                             SecondOrderData<Changes>& x, WorkspaceData<Changes>& w) {
  for (int k = 0; k < m.nv; ++k) x.step[k] = Changes(0), x.v_moved[k] = x.v[k];
  for (int l = 0; l < count; ++l) (of_v ? x.v_moved : x.step)[first + l].change(l) = 1;
  moved_gradients(m, rows, !of_v, x, w);
}

// The same along one change: of q and v, and of a and lambda as x has it. That of the gradient
// by q is by e of the number at integrate(q, dq + e), e = 0: the axes that move along dq add half of their bracket, which is
// taken away.
inline void gradient_change(const ModelData& m, const ConstraintData* rows, const double* dq,
                            const double* dv, SecondOrderData<OneChange>& x, WorkspaceData<OneChange>& w) {
  for (int k = 0; k < m.nv; ++k) {
    x.step[k] = OneChange(0), x.v_moved[k] = x.v[k];
    x.step[k].change(0) = dq[k], x.v_moved[k].change(0) = dv[k];
  }
  moved_gradients(m, rows, true, x, w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind < joint_spherical) continue;
    OneChange* g = x.by_q + n.v_index;
    double unit[6] = {}, half[6];
    double turned[6];
    int count = 6;
    for (int e = 0; e < count; ++e) {
      unit[e] = 1;
      count = joint_bracket(n.kind, dq + n.v_index, unit, half);
      unit[e] = 0, turned[e] = 0;
      for (int k = 0; k < count; ++k) turned[e] += 0.5 * g[k].value() * half[k];
    }
    for (int e = 0; e < count; ++e) g[e].change(0) -= turned[e];
  }
}

// C := C + A^T B, all column-major with columns of `length` numbers, C rows x columns.
inline void add_transposed_product(int length, const double* A, int rows, long lda, const double* B,
                                   int columns, long ldb, double* C, long ldc) {
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
