// Rows that pv_early propagates (kernels/constrained/pv_early.hpp): reflections, which move one direction of
// all rows into a single row, and the reduction of more than six rows, or of rows at the root.
#pragma once

#include <cmath>

#include "kernels/constrained/pv_early_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A square of K S below this share of the initial squares of K is a rounding error.
inline constexpr double early_rounding = 1e-29;
// Eigenvalues of L below this count as zero; the Delassus diagonal is scaled to one.
inline constexpr double early_redundant = 1e-12;

// ---- reflections

// Reflects rows begin to end so that entry `axis` is zero in all but row `target`; returns that row's entry.
// norm: the length of these entries.
template <class T>
inline T reflect_rows(T (*row)[8], int begin, int end, int target, int axis, const T& norm, T* v, T& beta) {
  using V = Lanes<T>;
  const T x = row[target][axis];
  beta = T(0);
  if (end - begin == 1) {
    v[target] = T(0);
    return x;
  }
  const T alpha = x > T(0) ? -norm : norm;
  V low(T(0)), high(T(0));
  for (int i = begin; i < end; ++i) {
    v[i] = i == target ? x - alpha : row[i][axis];
    low = low + V(v[i]) * V::load(row[i]);
    high = high + V(v[i]) * V::load(row[i] + 4);
  }
  beta = T(1) / (norm * (norm + (x > T(0) ? x : -x)));
  for (int i = begin; i < end; ++i) {
    const V share(beta * v[i]);
    (V::load(row[i]) - share * low).store(row[i]);
    (V::load(row[i] + 4) - share * high).store(row[i] + 4);
    row[i][axis] = T(0);
  }
  row[target][axis] = alpha;
  return alpha;
}

// L := H L H with H = 1 - beta v v^T on rows begin to end; L has `size` rows, n of them used.
template <int size, class T>
inline void reflect_coupling(T (*L)[size], int n, int begin, int end, const T* v, const T& beta) {
  for (int i = 0; i < n; ++i) {
    T sum(0);
    for (int j = begin; j < end; ++j) sum = sum + L[i][j] * v[j];
    for (int j = begin; j < end; ++j) L[i][j] = L[i][j] - beta * sum * v[j];
  }
  for (int i = 0; i < n; ++i) {
    T sum(0);
    for (int j = begin; j < end; ++j) sum = sum + L[j][i] * v[j];
    for (int j = begin; j < end; ++j) L[j][i] = L[j][i] - beta * sum * v[j];
  }
}

template <class T>
inline void reflect_back(T* lambda, int begin, int end, const T* v, const T& beta) {
  T sum(0);
  for (int i = begin; i < end; ++i) sum = sum + v[i] * lambda[i];
  for (int i = begin; i < end; ++i) lambda[i] = lambda[i] - beta * sum * v[i];
}

// Computes eigenvalues (on the diagonal of A) and eigenvectors (columns of V) by Jacobi rotations.
template <class T>
inline void diagonalize(T (&A)[early_meet][early_meet], int n, T (&V)[early_meet][early_meet]) {
  using std::sqrt;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) V[i][j] = i == j ? T(1) : T(0);
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool done = true;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        const T off = A[i][j];
        if (off * off <= T(1e-33) * (A[i][i] * A[j][j]) + T(1e-60)) continue;
        done = false;
        const T cot2 = (A[j][j] - A[i][i]) / (T(2) * off);
        const T size = cot2 > T(0) ? cot2 : -cot2;
        const T t = (cot2 >= T(0) ? T(1) : T(-1)) / (size + sqrt(T(1) + cot2 * cot2));
        const T c = T(1) / sqrt(T(1) + t * t), s = t * c;
        const auto turn = [&](T& x, T& y) {
          const T old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (int k = 0; k < n; ++k) turn(A[k][i], A[k][j]);
        for (int k = 0; k < n; ++k) turn(A[i][k], A[j][k]);
        for (int k = 0; k < n; ++k) turn(V[k][i], V[k][j]);
      }
    }
    if (done) return;
  }
}

// ---- more than six rows, rows at the root

// Solves the rows from `kept` to `total`, whose K is zero: their L and couplings to other rows are final.
template <class T>
inline void close_rows(T (*row)[8], T (*L)[early_meet], EarlySqueeze<T>& q, PvEarlyData<T>& d) {
  const int p = q.kept, z = q.total - q.kept;
  if (!q.coupled) {
    d.redundant += z;
    return;
  }
  T A[early_meet][early_meet];
  for (int i = 0; i < z; ++i)
    for (int j = 0; j < z; ++j) A[i][j] = L[p + i][p + j];
  diagonalize(A, z, q.V);
  for (int i = 0; i < z; ++i) {
    const bool redundant = !(A[i][i] > T(early_redundant));
    d.redundant += redundant;
    q.inv_e[i] = redundant ? T(0) : T(1) / A[i][i];
    q.k[i] = T(0);
    for (int r = 0; r < z; ++r) q.k[i] = q.k[i] + q.V[r][i] * row[p + r][6];
    for (int j = 0; j < p; ++j) {
      q.couple[i][j] = T(0);
      for (int r = 0; r < z; ++r) q.couple[i][j] = q.couple[i][j] + q.V[r][i] * L[p + r][j];
    }
    for (int j = 0; j < p; ++j) {
      const T share = q.couple[i][j] * q.inv_e[i];
      row[j][6] = row[j][6] - share * q.k[i];
      for (int l = 0; l < p; ++l) L[j][l] = L[j][l] - share * q.couple[i][l];
    }
  }
}

// Reflects until K is zero in all but the first rows, of which at most six remain.
template <class T>
inline void squeeze_rows(T (*row)[8], T (*L)[early_meet], const T& size, EarlySqueeze<T>& q,
                         PvEarlyData<T>& d) {
  using std::sqrt;
  q.kept = 0;
  for (int axis = 0; axis < 6 && q.kept < q.total; ++axis) {
    T squares(0);
    for (int i = q.kept; i < q.total; ++i) squares = squares + row[i][axis] * row[i][axis];
    if (!(squares > T(early_rounding) * size)) continue;
    const int p = q.kept++;
    reflect_rows(row, p, q.total, p, axis, T(sqrt(squares)), q.v[p], q.beta[p]);
    if (q.coupled) reflect_coupling<early_meet>(L, q.total, p, q.total, q.v[p], q.beta[p]);
  }
  close_rows(row, L, q, d);
}

// Computes lambda of all rows from lambda of the first `kept` rows.
template <class T>
inline void take_back_squeeze(const EarlySqueeze<T>& q, T* lambda) {
  const int p = q.kept, z = q.total - q.kept;
  for (int r = 0; r < z; ++r) lambda[p + r] = T(0);
  for (int i = 0; q.coupled && i < z; ++i) {
    T x = q.k[i];
    for (int j = 0; j < p; ++j) x = x - q.couple[i][j] * lambda[j];
    x = x * q.inv_e[i];
    for (int r = 0; r < z; ++r) lambda[p + r] = lambda[p + r] + q.V[r][i] * x;
  }
  for (int j = p - 1; j >= 0; --j) reflect_back(lambda, j, q.total, q.v[j], q.beta[j]);
}

// Adds the rows of `more`, and their L if coupled, to set s.
template <class T>
inline void join_rows(EarlySet<T>& s, const EarlySet<T>& more, const EarlyJoin& join, EarlyJoined& joined,
                      PvEarlyData<T>& d) {
  const int before = s.count, total = s.count + more.count;
  joined = {before, more.count, total};
  const bool coupled = s.coupled || more.coupled;
  s.size = before > 0 ? s.size + more.size : more.size;
  const auto coupling = [&](int i, int j) {
    const bool old = i < before && j < before, added = i >= before && j >= before;
    return old && s.coupled ? s.L[i][j] : added && more.coupled ? more.L[i - before][j - before] : T(0);
  };
  if (total <= early_max) {
    for (int i = 0; i < more.count; ++i)
      for (int e = 0; e < 8; ++e) s.row[before + i][e] = more.row[i][e];
    for (int i = 0; coupled && i < total; ++i)
      for (int j = 0; j < total; ++j) s.L[i][j] = coupling(i, j);
    s.count = total;
    s.coupled = coupled;
    return;
  }
  T row[early_meet][8], L[early_meet][early_meet];
  for (int i = 0; i < total; ++i)
    for (int e = 0; e < 8; ++e) row[i][e] = i < before ? s.row[i][e] : more.row[i - before][e];
  for (int i = 0; coupled && i < total; ++i)
    for (int j = 0; j < total; ++j) L[i][j] = coupling(i, j);
  EarlySqueeze<T>& q = d.squeezes[join.squeeze];
  q.total = total;
  q.coupled = coupled;
  squeeze_rows(row, L, s.size, q, d);
  s.count = joined.after = q.kept;
  s.coupled = coupled;
  for (int i = 0; i < q.kept; ++i) {
    for (int e = 0; e < 8; ++e) s.row[i][e] = row[i][e];
    for (int j = 0; coupled && j < q.kept; ++j) s.L[i][j] = L[i][j];
  }
}

TENON_ISA_END
}  // namespace tenon
