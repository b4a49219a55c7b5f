// The factor K_d = Q R of the columns of dependent coordinates in the rows K of each cluster (kernels/cluster), and solves
// with it: a motion x of dependent coordinates with K x = s, and forces b of rows with b^T K = x on dependent coordinates.
// By the modified Gram-Schmidt process, each column twice: dependent coordinates are chosen so that K_d has full rank.
// O(rows d^2) a cluster, a solve O(rows d + d^2).
#pragma once

#include "data/model_data.hpp"
#include "spatial/lanes.hpp"
#include "spatial/pack.hpp"
#include "spatial/rotation.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct LoopFactor {
  T *Q, *R;             // in blocks as those of loop_K: columns of K_d, and the columns of R, d apart
  T* room;              // as many as a cluster has dependent coordinates
  bool with_couplings;  // clusters whose G is constant take part as others do

  // Calls each(c, Q, R) for the clusters that take part.
  template <class Each>
  TENON_INLINE void for_clusters(const ModelData& m, const Each& each) const {
    for (int i = 0; i < m.cluster_count; ++i) {
      const ClusterData& c = m.clusters[i];
      if (with_couplings || !c.constant_G) each(c, Q + c.K_begin, R + c.K_begin);
    }
  }
};

template <class T>
inline void factor_dependent(const ModelData& m, const T* K, const LoopFactor<T>& factor) {
  factor.for_clusters(m, [&](const ClusterData& c, T* Q, T* R) {
    const int rows = c.row_count, d = c.d_count;
    for (int e = 0; e < d * d; ++e) R[e] = T(0);
    for (int j = 0; j < d; ++j) {
      const T* from = K + c.K_begin + (m.dependent[c.d_begin + j] - c.v_begin) * rows;
      T* const column = Q + j * rows;
      T square(0);
      for (int r = 0; r < rows; ++r) column[r] = from[r];
      for (int i = 0; i < 2 * j; ++i) {
        const T* other = Q + i % j * rows;
        T share(0);
        for (int r = 0; r < rows; ++r) share = share + other[r] * column[r];
        for (int r = 0; r < rows; ++r) column[r] = column[r] - share * other[r];
        R[j * d + i % j] = R[j * d + i % j] + share;
      }
      for (int r = 0; r < rows; ++r) square = square + column[r] * column[r];
      const T length = square_root(square);
      R[j * d + j] = length;
      for (int r = 0; r < rows; ++r) column[r] = column[r] / length;
    }
  });
}

// The motion of the dependent coordinates of one cluster, at(j), for s(r) of its rows: numbers V, or packs of them.
template <class V, class T, class Of, class At>
TENON_INLINE void close_cluster(const ClusterData& c, const T* Q, const T* R, const Of& s, const At& at) {
  const int rows = c.row_count, d = c.d_count;
  for (int j = d - 1; j >= 0; --j) {
    V sum(T(0));
    for (int r = 0; r < rows; ++r) sum = sum + V(Q[j * rows + r]) * s(r);
    for (int i = j + 1; i < d; ++i) sum = sum - V(R[i * d + j]) * at.get(i);
    at.set(j, sum * V(T(1) / R[j * d + j]));
  }
}
// Where a number, or a pack of them, of each dependent coordinate of a cluster is: in x, ld apart.
template <class V, class T>
struct DependentNumbers {
  const std::int32_t* dependent;
  T* x;
  std::int64_t ld;
  TENON_INLINE V get(int j) const { return load_number<V>(x + dependent[j] * ld); }
  TENON_INLINE void set(int j, const V& value) const { store_number(value, x + dependent[j] * ld); }
};

// x: nv; of the coordinates that are not dependent, and of other clusters, zero.
template <class T>
inline void close_by_dependent(const ModelData& m, const LoopFactor<T>& factor, const T* s, T* x) {
  for (int k = 0; k < m.nv; ++k) x[k] = T(0);
  factor.for_clusters(m, [&](const ClusterData& c, const T* Q, const T* R) {
    close_cluster<T>(
        c, Q, R, [&](int r) { return s[c.row_begin + r]; },
        DependentNumbers<T, T>{m.dependent + c.d_begin, x, 1});
  });
}
// The same of the columns of row-major matrices, whole packs of them.
template <class T>
inline void close_columns_by_dependent(const ModelData& m, const LoopFactor<T>& factor, const T* S,
                                       int columns, int ld, T* X) {
  using L = Wide<T>;
  for (int k = 0; k < m.nv; ++k)
    for (int c = 0; c < columns; c += L::count) L(T(0)).store(X + static_cast<std::int64_t>(k) * ld + c);
  factor.for_clusters(m, [&](const ClusterData& c, const T* Q, const T* R) {
    for (int first = 0; first < columns; first += L::count)
      close_cluster<L>(
          c, Q, R,
          [&](int r) { return L::load(S + static_cast<std::int64_t>(c.row_begin + r) * ld + first); },
          DependentNumbers<L, T>{m.dependent + c.d_begin, X + first, ld});
  });
}

// x: nv; b: loop rows, zero in other clusters.
template <class T>
inline void balance_dependent(const ModelData& m, const LoopFactor<T>& factor, const T* x, T* b) {
  for (int r = 0; r < m.loop_row_count; ++r) b[r] = T(0);
  T* const z = factor.room;
  factor.for_clusters(m, [&](const ClusterData& c, const T* Q, const T* R) {
    const int rows = c.row_count, d = c.d_count;
    for (int j = 0; j < d; ++j) {
      T sum = x[m.dependent[c.d_begin + j]];
      for (int i = 0; i < j; ++i) sum = sum - R[j * d + i] * z[i];
      z[j] = sum / R[j * d + j];
      for (int r = 0; r < rows; ++r) b[c.row_begin + r] = b[c.row_begin + r] + Q[j * rows + r] * z[j];
    }
  });
}

TENON_ISA_END
}  // namespace tenon
