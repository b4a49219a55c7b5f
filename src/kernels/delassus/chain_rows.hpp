// Dynamics with constraint rows by the factor of chains (derivatives/chain_columns.hpp), for products with derivatives: in
// place of the path rows of constrained/prox_ltl.hpp, whose notation this is. With M^-1 = U U^T, U = L^-1 D^-1/2, and
// W W^T = IA^-1 in place of U at a floating root, Z = J U has the same rows but there, and z = U^T (tau - c) too.
//
// A row K of the root frame goes inward along its path, as bodies push what is above them: with V = U_k / D_k,
//
//   Z_k = D_k^-1/2 K . S_k,   K := K - (K . S_k) V_k;   at a floating root Z = W^T K.
//
// The two sides of a row between two bodies meet as forces do, as a sum. Cost O(n) for the factor, for z and for a product
// with U, and O(d) a row: of path rows O(n d^2), O(n d) and O(d^2).
#pragma once

#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/derivatives/chain_columns.hpp"

namespace tenon {
TENON_ISA_BEGIN

// x := U^T x. After chain_rows_start.
template <class T>
void chain_half_inward(const ModelData& m, T* x, DerivativeData<T>& d) {
  ChainColumns<T, RowsOfOneColumn<T>>{d}.inward({x}, 0, m.nv);
  const int root = dofs_of_floating_root(m);
  for (int k = root; k < m.nv; ++k) x[k] = x[k] * d.chain_root_d[k];
  if (root == 0) return;
  T y[6];
  for (int e = 0; e < 6; ++e) y[e] = x[e];
  for (int i = 0; i < 6; ++i) {
    const T* const of = d.root_half + 8 * i;
    x[i] = (of[0] * y[0] + of[1] * y[1] + of[2] * y[2]) + (of[3] * y[3] + of[4] * y[4] + of[5] * y[5]);
  }
}
// x := U x. After chain_rows_start.
template <class T>
void chain_half_outward(const ModelData&, T* x, DerivativeData<T>& d) {
  half_outward_by_chains(RowsOfOneColumn<T>{x}, d);
}

// ---- rows

// Rows on their way inward, four a pack, some in the last, and the place of the first among the numbers of a coordinate.
template <int packs, class T>
struct RowsOnTheWay {
  Lanes<T> K[6][packs];
  int first, count;

  // number(e, j): of row j.
  template <class Number>
  TENON_INLINE void take(const Number& number) {
    for (int e = 0; e < 6; ++e) {
      T of[4 * packs];
      for (int j = 0; j < 4 * packs; ++j) of[j] = j < count ? number(e, j) : T(0);
      for (int p = 0; p < packs; ++p) K[e][p] = Lanes<T>::load(of + 4 * p);
    }
  }
  TENON_INLINE void add(const RowsOnTheWay& other) {
    for (int e = 0; e < 6; ++e)
      for (int p = 0; p < packs; ++p) K[e][p] = K[e][p] + other.K[e][p];
  }
  TENON_INLINE void put(const Lanes<T> (&x)[packs], T* Z) const {
    for (int p = 0; p < packs; ++p) {
      const int left = count - 4 * p;
      store_some(x[p], left < 4 ? left : 4, Z + first + 4 * p);
    }
  }
  // From body i to body `end`, which they do not pass.
  TENON_INLINE void carry(const ModelData& m, int i, int end, int stride, const DerivativeData<T>& d, T* Z) {
    const bool floats = dofs_of_floating_root(m) > 0;
    for (; i != end; i = m.nodes[i].parent) {
      if (i == 0 && floats) return pass_root(stride, d, Z);
      for (int k = end_of_dofs(m, i) - 1; k >= m.nodes[i].v_index; --k) {
        const T *const S = d.axis + 8 * k, *const V = d.pull + 8 * k;
        const Lanes<T> root_d(d.chain_root_d[k]);
        Lanes<T> x[packs], scaled[packs];
        for (int p = 0; p < packs; ++p) {
          x[p] = (K[0][p] * Lanes<T>(S[0]) + K[1][p] * Lanes<T>(S[1]) + K[2][p] * Lanes<T>(S[2])) +
                 (K[3][p] * Lanes<T>(S[4]) + K[4][p] * Lanes<T>(S[5]) + K[5][p] * Lanes<T>(S[6]));
          scaled[p] = root_d * x[p];
          for (int e = 0; e < 6; ++e) K[e][p] = K[e][p] - Lanes<T>(V[packed_place(e)]) * x[p];
        }
        put(scaled, Z + static_cast<std::int64_t>(k) * stride);
      }
    }
  }

 private:
  TENON_INLINE void pass_root(int stride, const DerivativeData<T>& d, T* Z) const {
    for (int i = 0; i < 6; ++i) {
      Lanes<T> x[packs];
      for (int p = 0; p < packs; ++p) {
        x[p] = Lanes<T>(d.root_half[8 * i]) * K[0][p];
        for (int e = 1; e < 6; ++e) x[p] = x[p] + Lanes<T>(d.root_half[8 * i + e]) * K[e][p];
      }
      put(x, Z + i * stride);
    }
  }
};

// Rows of body i, from row `first` on.
template <int packs, class T>
TENON_INLINE void carry_rows_of_body(const ModelData& m, int i, int first, int count, int stride,
                                     const DerivativeData<T>& d, WorkspaceData<T>& w) {
  RowsOnTheWay<packs, T> rows;
  rows.first = first, rows.count = count;
  rows.take([&](int e, int j) TENON_INLINE_LAMBDA { return w.Kw[e * stride + first + j]; });
  rows.carry(m, i, -1, stride, d, w.ZT);
}
// Rows between two bodies.
template <int packs, class T>
TENON_INLINE void carry_inter_body_rows(const ModelData& m, const ConstraintItem& item, int stride,
                                        const DerivativeData<T>& d, WorkspaceData<T>& w) {
  RowsOnTheWay<packs, T> sides[2];
  const int bodies[2] = {item.first, item.second};
  for (int side = 0; side < 2; ++side) {
    RowsOnTheWay<packs, T>& rows = sides[side];
    rows.first = item.row_begin, rows.count = item.row_count;
    rows.take([&](int e, int j)
                  TENON_INLINE_LAMBDA { return w.side_Kw[12 * (item.side_row + j) + 6 * side + e]; });
    rows.carry(m, bodies[side], item.meet, stride, d, w.ZT);
  }
  if (item.meet < 0) return;
  sides[0].add(sides[1]);
  sides[0].carry(m, item.meet, -1, stride, d, w.ZT);
}

template <class T>
inline void place_chain_rows(const ModelData& m, const ConstraintData& c, const DerivativeData<T>& d,
                             WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  // Across coordinates: compilers would call memset for each.
  for (int first = 0, last; first < m.nv; first = last) {
    last = end_of_same_rows(m, c, first);
    const RowRange rows = rows_of_subtree(m, c, first);
    for (int r = rows.pack(); r < rows.end; r += 4)
      for (int k = first; k < last; ++k)
        Lanes<T>(T(0)).store(w.ZT + static_cast<std::int64_t>(k) * stride + r);
  }
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s], end = c.node_row_first[i + 1];
    for (int r = c.node_row_first[i]; r < end; r += 8) {
      if (end - r > 4)
        carry_rows_of_body<2>(m, i, r, end - r < 8 ? end - r : 8, stride, d, w);
      else
        carry_rows_of_body<1>(m, i, r, end - r, stride, d, w);
    }
  }
  for (int i = 0; i < c.inter_body_count; ++i) {
    const ConstraintItem& item = c.items[c.inter_body[i]];
    if (item.row_count > 4)
      carry_inter_body_rows<2>(m, item, stride, d, w);
    else
      carry_inter_body_rows<1>(m, item, stride, d, w);
  }
}

// In place of prox_ltl_start, after joint_space_state.
template <class T>
bool chain_rows_start(const ModelData& m, const ConstraintData& c, DerivativeData<T>& d,
                      WorkspaceData<T>& w) {
  using std::sqrt;
  if (!chain_factor(m, d, w)) return false;
  for (int k = dofs_of_floating_root(m); k < m.nv; ++k) d.chain_root_d[k] = sqrt(d.chain_inv_d[k]);
  place_chain_rows(m, c, d, w);
  for (int k = 0; k < m.nv; ++k) w.z[k] = w.joint_force[k];
  chain_half_inward(m, w.z, d);
  place_free_motion(m, c, w);
  return true;
}

// In place of prox_ltl_motion and prox_ltl_finish.
template <class T>
void chain_rows_motion(const ModelData& m, const ConstraintData& c, T* qdd, DerivativeData<T>& d,
                       WorkspaceData<T>& w) {
  place_residuals_of_motion(m, c, w);
  for (int k = 0; k < m.nv; ++k) qdd[k] = w.y[k];
  chain_half_outward(m, qdd, d);
}
template <class T>
void chain_rows_finish(const ModelData& m, const ConstraintData& c, const T* lambda, T* qdd,
                       DerivativeData<T>& d, WorkspaceData<T>& w) {
  place_forced_motion(m, c, lambda, w);
  chain_rows_motion(m, c, qdd, d, w);
}

TENON_ISA_END
}  // namespace tenon
