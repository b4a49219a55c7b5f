// Columns of a matrix of rank six, in packs.
#pragma once

#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Rows [begin, end) of `count` columns, ld numbers apart, := -left h. left: six arrays. Works in whole packs
// from the end, so that up to three places before `begin` are read from left and written too; these belong to
// rows that are computed later, or are unused.
template <int count, class T>
TENON_INLINE void rank_six_columns(const T* left, int stride, int begin, int end, const T (*h)[8], int ld,
                                   T* columns) {
  using V = Lanes<T>;
  for (int place = end - 4; place > begin - 4; place -= 4) {
    V sum[count];
    for (int j = 0; j < count; ++j) sum[j] = V(T(0));
    for (int e = 0; e < 6; ++e) {
      const V x = V::load(left + e * stride + place);
      for (int j = 0; j < count; ++j) sum[j] = sum[j] - x * V(h[j][e]);
    }
    for (int j = 0; j < count; ++j) sum[j].store(columns + j * ld + place);
  }
}
template <class T>
TENON_INLINE void rank_six_columns(int count, const T* left, int stride, int begin, int end, const T (*h)[8],
                                   int ld, T* columns) {
  switch (count) {
    case 1:
      return rank_six_columns<1>(left, stride, begin, end, h, ld, columns);
    case 2:
      return rank_six_columns<2>(left, stride, begin, end, h, ld, columns);
    case 3:
      return rank_six_columns<3>(left, stride, begin, end, h, ld, columns);
    default:
      return rank_six_columns<4>(left, stride, begin, end, h, ld, columns);
  }
}

TENON_ISA_END
}  // namespace tenon
