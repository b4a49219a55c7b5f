// Copies a symmetric matrix over constraint rows, one triangle in the kernels' order, to both triangles in the user's
// order. In tiles, because one of them is written across its columns.
#pragma once

#include <algorithm>
#include <cstddef>

#include "data/constraint_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The first `rows` rows of the first `columns` columns. Loops of fixed length keep the tile in registers.
template <class T>
TENON_INLINE void store_columns(const Lanes<T> (&tile)[4], int columns, int rows, T* to, std::int64_t ld) {
  if (columns == 4 && rows == 4) {
    for (int e = 0; e < 4; ++e) tile[e].store(to + e * ld);
    return;
  }
  unroll<4>([&](auto e) {
    if (e.value < columns) store_first(tile[e.value], rows, to + e.value * ld);
  });
}

// x: the lower triangle of a tile; becomes the whole.
template <class T>
TENON_INLINE void mirror_tile(Lanes<T> (&x)[4]) {
  Lanes<T> t[4] = {x[0], x[1], x[2], x[3]};
  transpose(t[0], t[1], t[2], t[3]);
  x[1] = shuffle<0, 5, 6, 7>(t[1], x[1]);
  x[2] = shuffle<0, 1, 6, 7>(t[2], x[2]);
  x[3] = shuffle<0, 1, 2, 7>(t[3], x[3]);
}

// A number that is finite only if all of the lower triangle are. Its summands are too small for their sum to overflow.
template <class T>
T finite_sum(const T* lower, int rows) {
  const int stride = whole_packs(rows);
  const Lanes<T> tiny(T(0x1p-64));
  Lanes<T> sum[4] = {Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0))};
  for (int j = 0; j < rows; j += 4)
    for (int i = j; i < rows; i += 4) {
      Lanes<T> tile[4];
      for (int e = 0; e < 4; ++e) tile[e] = Lanes<T>::load(lower + (j + e) * stride + i);
      if (i == j) mirror_tile(tile);
      for (int e = 0; e < 4; ++e) sum[e] = sum[e] + tile[e] * tiny;
    }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])).sum();
}

// lower: column-major, leading dimension whole_packs(rows). in_order: user_row[r] is r for all rows, the usual case.
template <class T>
void symmetric_to_user(const ConstraintData& c, bool in_order, const T* lower, T* out, int ld) {
  const int rows = c.row_count, stride = whole_packs(rows);
  for (int j = 0; !in_order && j < rows; ++j) {
    const std::int64_t column = c.user_row[j];
    for (int i = j; i < rows; ++i)
      out[column * ld + c.user_row[i]] = out[static_cast<std::int64_t>(c.user_row[i]) * ld + column] =
          lower[j * stride + i];
  }
  for (int j = 0; in_order && j < rows; j += 4) {
    T* const column = out + static_cast<std::int64_t>(j) * ld;
    for (int i = j; i < rows; i += 4) {
      const int count = rows - i < 4 ? rows - i : 4;
      Lanes<T> tile[4];
      for (int e = 0; e < 4; ++e) tile[e] = Lanes<T>::load(lower + (j + e) * stride + i);
      if (i == j) {
        mirror_tile(tile);
        store_columns(tile, count, count, column + i, ld);
        continue;
      }
      store_columns(tile, 4, count, column + i, ld);
      transpose(tile[0], tile[1], tile[2], tile[3]);
      store_columns(tile, count, 4, out + static_cast<std::int64_t>(i) * ld + j, ld);
    }
  }
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
