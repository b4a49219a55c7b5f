// How results leave the memory of derivatives: whether they are finite, and copies to the layout of the user. A matrix is
// `lines` lines of `length` numbers, ld numbers apart: its columns or its rows. One line alone may be a user's vector, and ends
// with its numbers; of several each has room for ld.
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "spatial/finite_numbers.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls each(first) for packs of W that cover `length` numbers, the last one over the end of the one before; false where
// there are fewer than W.
template <int W, class Each>
TENON_INLINE bool for_packs(int length, const Each& each) {
  if (length < W) return false;
#pragma GCC unroll 4
  for (int i = 0; i + W < length; i += W) each(i);
  each(length - W);
  return true;
}

template <class T>
bool finite_matrix(const T* A, int lines, int length, std::int64_t ld) {
  FiniteNumbers finite;
  for (int r = 0; r < lines; ++r) {
    const T* line = A + r * ld;
    if (for_packs<FiniteNumbers::width>(length, [&](int i) { finite.see_pack(line + i); })) continue;
    if (lines > 1 && ld >= FiniteNumbers::width)
      finite.see_first(line, length);
    else
      for (int i = 0; i < length; ++i) finite.see(line[i]);
  }
  return finite.all();
}

// The upper half of a symmetric matrix in that order from the lower one, with room to whole packs both ways.
template <MatrixOrder order, class T>
TENON_INLINE void mirror_lower_half(int n, T* A, std::int64_t ld) {
  constexpr bool by_columns = order == MatrixOrder::columns;
  for (int c = 0; c < n; c += 4) {
    for (int e = 1; e < 4; ++e)
      for (int l = 0; l < e; ++l) {
        T &right = A[(c + e) * ld + c + l], &left = A[(c + l) * ld + c + e];
        (by_columns ? right : left) = by_columns ? left : right;
      }
    for (int k = c + 4; k < n; k += 4) {
      T *const left = A + c * ld + k, *const right = A + k * ld + c;
      Lanes<T> x[4];
      for (int e = 0; e < 4; ++e) x[e] = Lanes<T>::load((by_columns ? left : right) + e * ld);
      transpose(x[0], x[1], x[2], x[3]);
      for (int e = 0; e < 4; ++e) x[e].store((by_columns ? right : left) + e * ld);
    }
  }
}

// Whether all numbers are at most 2^50, so that products with moderate numbers are finite for certain; NaN is not. lines: with room
// to whole packs.
template <class T>
bool is_moderate_matrix(const T* A, int lines, int length, std::int64_t ld) {
  using L = Wide<T>;
  L sum[2] = {L(T(0)), L(T(0))};
  const auto add = [&](int i, const L& x) { sum[i] = sum[i] + x * x; };
  for (int r = 0; r < lines; ++r) {
    const T* line = A + r * ld;
    if (!for_packs<L::count>(length, [&](int i) { add(i / L::count % 2, L::load(line + i)); }))
      for (int i = 0; i < length; ++i) add(0, L(line[i]));
  }
  FiniteNumbers scaled;
  scaled.see(0x1p923 * (sum[0] + sum[1]).sum());
  return scaled.all();
}

// Rows r to r + 3 of A as columns of `to`; `count` of them.
template <class T>
TENON_INLINE void transpose_lines(const T* A, int count, int length, std::int64_t ld, T* to,
                                  std::int64_t ld_to) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const auto transpose_all = [&](const auto& store) {
    return for_packs<W>(length, [&](int c) {
      L row[4];
      for (int e = 0; e < 4; ++e) row[e] = L::load(A + (e < count ? e : 0) * ld + c);
      T* const column = to + c * ld_to;
      scatter_packs(row, [&](int l, const Lanes<T>& pack) { store(pack, column + l * ld_to); });
    });
  };
  const bool all = count == 4
                       ? transpose_all([](const Lanes<T>& pack, T* at) { pack.store(at); })  // most
                       : transpose_all([&](const Lanes<T>& pack, T* at) { store_first(pack, count, at); });
  for (int c = 0; !all && c < length; ++c)
    for (int e = 0; e < count; ++e) to[c * ld_to + e] = A[e * ld + c];
}

// to := A, or its transpose.
template <class T>
void copy_matrix(const T* A, int lines, int length, std::int64_t ld, bool transposed, T* to,
                 std::int64_t ld_to) {
  using L = Wide<T>;
  if (transposed) {
    for (int r = 0; r < lines; r += 4)
      transpose_lines(A + r * ld, lines - r < 4 ? lines - r : 4, length, ld, to + r, ld_to);
    return;
  }
  for (int r = 0; r < lines; ++r) {
    const T* from = A + r * ld;
    T* line = to + r * ld_to;
    if (for_packs<L::count>(length, [&](int i) { L::load(from + i).store(line + i); })) continue;
    if (lines > 1 && ld >= L::count)
      store_some(L::load(from), length, line);
    else
      for (int i = 0; i < length; ++i) line[i] = from[i];
  }
}

TENON_ISA_END
}  // namespace tenon
