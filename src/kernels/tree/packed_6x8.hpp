// 6 x 6 matrices as six rows of eight numbers, two packs each; the last two numbers of a row only fill the
// pack.
#pragma once

#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct Row8 {
  Lanes<T> x[2];
};
template <class T>
TENON_INLINE Row8<T> load_row(const T* p) {
  return {{Lanes<T>::load(p), Lanes<T>::load(p + 4)}};
}
template <class T>
TENON_INLINE void store(T* p, const Row8<T>& r) {
  r.x[0].store(p), r.x[1].store(p + 4);
}
template <class T>
TENON_INLINE Row8<T> operator+(const Row8<T>& a, const Row8<T>& b) {
  return {{a.x[0] + b.x[0], a.x[1] + b.x[1]}};
}
template <class T>
TENON_INLINE Row8<T> operator-(const Row8<T>& a, const Row8<T>& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1]}};
}
template <class T>
TENON_INLINE Row8<T> operator*(const T& s, const Row8<T>& a) {
  return {{Lanes<T>(s) * a.x[0], Lanes<T>(s) * a.x[1]}};
}
// x^T B, B 6 x 8.
template <class T>
TENON_INLINE Row8<T> row_times(const T* x, const T* B) {
  Row8<T> sum = x[0] * load_row(B);
  for (int k = 1; k < 6; ++k) sum = sum + x[k] * load_row(B + 8 * k);
  return sum;
}
template <class T>
TENON_INLINE void transpose6(const T* A, T* B) {
  for (int r = 0; r < 6; ++r) {
    for (int e = 0; e < 6; ++e) B[8 * r + e] = A[8 * e + r];
    B[8 * r + 6] = B[8 * r + 7] = T(0);
  }
}

// G := sum of weight_q W_q W_q^T over `count` vectors of eight numbers, `step` apart, their weights
// `weight_step` apart; both triangles. With packs = 1 all but the first pack of rows and columns is zero.
template <class T>
TENON_INLINE void weighted_gram(const T* W, int step, const T* weight, int weight_step, int count, int packs,
                                T* G) {
  using V = Lanes<T>;
  V low[4], mixed[4], high[2];
  for (int j = 0; j < 4; ++j) low[j] = mixed[j] = V(T(0));
  high[0] = high[1] = V(T(0));
  for (int q = 0; q < count; ++q) {
    const T* x = W + step * q;
    const V scale(weight[weight_step * q]);
    const V first = scale * V::load(x);
    for (int j = 0; j < 4; ++j) low[j] = low[j] + first * V(x[j]);
    if (packs == 1) continue;
    const V second = scale * V::load(x + 4);
    for (int j = 0; j < 4; ++j) mixed[j] = mixed[j] + second * V(x[j]);
    for (int j = 0; j < 2; ++j) high[j] = high[j] + second * V(x[4 + j]);
  }
  for (int j = 0; j < 4; ++j) low[j].store(G + 8 * j), mixed[j].store(G + 8 * j + 4);
  for (int j = 0; j < 2; ++j) {
    high[j].store(G + 8 * (4 + j) + 4);
    for (int i = 0; i < 4; ++i) G[8 * (4 + j) + i] = G[8 * i + 4 + j];
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < j; ++i) G[8 * j + i] = G[8 * i + j];
}

// y := x A for lanes of rows, A 6 x 6 with element (e, f) at A[8 e + f].
template <class T>
TENON_INLINE void times_matrix(const Lanes<T> (&x)[6], const T* A, Lanes<T> (&y)[6]) {
  for (int f = 0; f < 6; ++f) {
    y[f] = x[0] * Lanes<T>(A[f]);
    for (int e = 1; e < 6; ++e) y[f] = y[f] + x[e] * Lanes<T>(A[8 * e + f]);
  }
}
// y := x A^T.
template <class T>
TENON_INLINE void times_transposed(const Lanes<T> (&x)[6], const T* A, Lanes<T> (&y)[6]) {
  for (int f = 0; f < 6; ++f) {
    y[f] = x[0] * Lanes<T>(A[8 * f]);
    for (int e = 1; e < 6; ++e) y[f] = y[f] + x[e] * Lanes<T>(A[8 * f + e]);
  }
}
template <class T>
TENON_INLINE void load_six(const T* p, int stride, Lanes<T> (&x)[6]) {
  for (int e = 0; e < 6; ++e) x[e] = Lanes<T>::load(p + e * stride);
}

TENON_ISA_END
}  // namespace tenon
