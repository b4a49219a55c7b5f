// Copies a symmetric matrix over constraint rows, one triangle in the kernels' order, to both triangles in the user's
// order. In tiles, because one of them is written across its columns.
#pragma once

#include <algorithm>
#include <cstddef>

#include "data/constraint_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Copies columns [first, last) and the rows below them, one by one.
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

// lower: column-major, leading dimension whole_packs(rows). in_order: user_row[r] is r for all rows, the usual case.
template <class T>
void symmetric_to_user(const ConstraintData& c, bool in_order, const T* lower, T* out, int ld) {
  const int rows = c.row_count, stride = whole_packs(rows), whole = in_order ? rows / 4 * 4 : 0;
  for (int j = 0; j < whole; j += 4) {
    mirror_columns(c, lower, j, j + 4, j, j + 4, out, ld);
    for (int i = j + 4; i < whole; i += 4) {
      Lanes<T> tile[4];
      for (int e = 0; e < 4; ++e) {
        tile[e] = Lanes<T>::load(lower + (j + e) * stride + i);
        tile[e].store(out + static_cast<long>(j + e) * ld + i);
      }
      transpose(tile[0], tile[1], tile[2], tile[3]);
      for (int e = 0; e < 4; ++e) tile[e].store(out + static_cast<long>(i + e) * ld + j);
    }
    mirror_columns(c, lower, j, j + 4, whole, rows, out, ld);
  }
  mirror_columns(c, lower, whole, rows, whole, rows, out, ld);
}

// The upper triangle.
template <class T>
void upper_to_user(const ConstraintData& c, const T* upper, int stride, T* out, int ld) {
  constexpr int tile = 8;
  const std::int32_t* user = c.user_row;
  for (int left = 0; left < c.row_count; left += tile)
    for (int top = 0; top <= left; top += tile)
      for (int j = left; j < std::min(left + tile, c.row_count); ++j) {
        const T* column = upper + j * stride;
        T* to = out + std::ptrdiff_t{user[j]} * ld;
        for (int i = top; i < std::min(top + tile, j + 1); ++i)
          to[user[i]] = out[user[j] + std::ptrdiff_t{user[i]} * ld] = column[i];
      }
}

TENON_ISA_END
}  // namespace tenon
