// A symmetric matrix over constraint rows, lower triangle in the kernels' order, to both triangles in the
// user's order. In tiles where the two orders are one, which is the usual case.
#pragma once

#include "constraint/constraint_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE void transpose_tile(const Lanes<T> (&a)[4], Lanes<T> (&t)[4]) {
  const auto even0 = __builtin_shufflevector(a[0].x, a[1].x, 0, 4, 2, 6);
  const auto odd0 = __builtin_shufflevector(a[0].x, a[1].x, 1, 5, 3, 7);
  const auto even1 = __builtin_shufflevector(a[2].x, a[3].x, 0, 4, 2, 6);
  const auto odd1 = __builtin_shufflevector(a[2].x, a[3].x, 1, 5, 3, 7);
  t[0] = Lanes<T>(__builtin_shufflevector(even0, even1, 0, 1, 4, 5));
  t[1] = Lanes<T>(__builtin_shufflevector(odd0, odd1, 0, 1, 4, 5));
  t[2] = Lanes<T>(__builtin_shufflevector(even0, even1, 2, 3, 6, 7));
  t[3] = Lanes<T>(__builtin_shufflevector(odd0, odd1, 2, 3, 6, 7));
}

// Columns [first, last) and the rows below them, one by one.
template <class T>
TENON_INLINE void mirror_columns(const ConstraintData& c, const T* lower, int first, int last, int row_begin,
                                 int row_end, T* out, int ld) {
  const int stride = whole_packs(c.row_count);
  for (int j = first; j < last; ++j) {
    const long column = c.user_row[j];
    for (int i = j > row_begin ? j : row_begin; i < row_end; ++i) {
      const T x = lower[j * stride + i];
      out[column * ld + c.user_row[i]] = x;
      out[static_cast<long>(c.user_row[i]) * ld + column] = x;
    }
  }
}

// lower: column-major, leading dimension whole_packs(rows). in_order: user_row[r] is r for all rows.
template <class T>
void symmetric_to_user(const ConstraintData& c, bool in_order, const T* lower, T* out, int ld) {
  const int rows = c.row_count, stride = whole_packs(rows), whole = in_order ? rows / 4 * 4 : 0;
  for (int j = 0; j < whole; j += 4) {
    mirror_columns(c, lower, j, j + 4, j, j + 4, out, ld);
    for (int i = j + 4; i < whole; i += 4) {
      Lanes<T> tile[4], turned[4];
      for (int e = 0; e < 4; ++e) tile[e] = Lanes<T>::load(lower + (j + e) * stride + i);
      transpose_tile(tile, turned);
      for (int e = 0; e < 4; ++e) {
        tile[e].store(out + static_cast<long>(j + e) * ld + i);
        turned[e].store(out + static_cast<long>(i + e) * ld + j);
      }
    }
    mirror_columns(c, lower, j, j + 4, whole, rows, out, ld);
  }
  mirror_columns(c, lower, whole, rows, whole, rows, out, ld);
}

TENON_ISA_END
}  // namespace tenon
