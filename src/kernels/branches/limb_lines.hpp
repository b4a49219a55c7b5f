// Where numbers of the limbs of a star go in a matrix (LimbCoordinates), or in two at once: line by line, which are columns of
// one that is column-major, and rows of one that is row-major.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Numbers of two matrices: of four limbs in the one, then in the other. In memory eight numbers.
using Both = Lanes<double, 8>;

template <class P>
TENON_INLINE Lanes<double> lanes_of(const P& a) {
  Lanes<double> x;
  x.x = (typename Lanes<double>::Vector)a.x;
  return x;
}
TENON_INLINE Both lanes_of(const Both& a) {
  return a;
}
// Numbers are arrays of packs, of both, or pairs of arrays of packs that are read as both.
template <class P>
struct PackPair {
  const P *one, *other;
};
// Number i; and stores it.
template <class P>
TENON_INLINE P number(const P* x, std::int64_t i) {
  return x[i];
}
TENON_INLINE Both number(const double* x, std::int64_t i) {
  return Both::load(x + 8 * i);
}
template <class P>
TENON_INLINE Both number(const PackPair<P>& x, std::int64_t i) {
  return join(lanes_of(x.one[i]), lanes_of(x.other[i]));
}
template <class P>
TENON_INLINE void put(P* x, std::int64_t i, const P& a) {
  x[i] = a;
}
TENON_INLINE void put(double* x, std::int64_t i, const Both& a) {
  a.store(x + 8 * i);
}
// The numbers from i on.
template <class P>
TENON_INLINE const P* behind(const P* x, std::int64_t i) {
  return x + i;
}
TENON_INLINE const double* behind(const double* x, std::int64_t i) {
  return x + 8 * i;
}
template <class P>
TENON_INLINE PackPair<P> behind(const PackPair<P>& x, std::int64_t i) {
  return {x.one + i, x.other + i};
}

// What one matrix, or two, have on a bundle: a block of each limb, and six numbers a node, in rows of the root and in its columns.
template <class Numbers>
struct LimbNumbers {
  Numbers block, of_root_rows, of_root_columns;
};

// Where a line of each limb begins.
template <int matrices>
struct LimbLines {
  double* to[matrices][branch_width];

  template <class Offset>
  TENON_INLINE LimbLines(double* const (&M)[matrices], const Offset& offset) {
    for (int i = 0; i < matrices; ++i)
      for (int l = 0; l < branch_width; ++l) to[i][l] = M[i] + offset(l);
  }
};
// store_of_limbs of one matrix, and of two.
template <class P>
TENON_INLINE void store_lines(const P* x, int apart, const std::int32_t* count, const LimbLines<1>& lines,
                              std::int64_t at) {
  store_of_limbs(x, apart, count, lines.to[0], at);
}
template <class Numbers>
TENON_INLINE void store_lines(const Numbers& x, int apart, const std::int32_t* count,
                              const LimbLines<2>& lines, std::int64_t at) {
  Both of[4];
  for (int i = 0; i < 4; ++i) of[i] = number(x, i * apart);
  transpose(of[0], of[1], of[2], of[3]);
  const Lanes<double> one[4] = {half_of<0>(of[0]), half_of<0>(of[1]), half_of<0>(of[2]), half_of<0>(of[3])},
                      other[4] = {half_of<1>(of[0]), half_of<1>(of[1]), half_of<1>(of[2]), half_of<1>(of[3])};
  store_numbers(one, count, lines.to[0], at);
  store_numbers(other, count, lines.to[1], at);
}

// Numbers of each limb between its own coordinates. In the block a line has whole fours of numbers, zeros behind the limb's.
// last_places: how many of the last four are written.
template <class Numbers, int W, int matrices>
inline void store_limb_blocks(const Numbers& block, const LimbCoordinates<W>& c,
                              const std::int32_t* last_places, double* const (&M)[matrices],
                              std::int64_t ld) {
  const int n = c.body_count, apart = line_of_block(n), last = apart - 4;
  const LimbLines<matrices> begin(M, [&](int l) { return c.first[l] * (ld + 1); });
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= last; i += 4)
      store_lines(behind(block, apart * j + i), 1, i < last ? c.whole_places : last_places, begin,
                  j * ld + i);
}

// Six numbers of each node of the limbs, in their lines, in the places of a floating body.
template <class Numbers, int W, int matrices>
inline void store_right_of_root(const Numbers& x, const LimbCoordinates<W>& c, double* const (&M)[matrices],
                                std::int64_t ld) {
  const LimbLines<matrices> lines(M, [&](int l) { return c.first[l] * ld; });
  for (int j = 0; j < c.body_count; ++j)
    for (const int e : {0, 2}) store_lines(behind(x, 6 * (j + 1) + e), 1, c.whole_places, lines, j * ld + e);
}
// The same in lines of the floating body. From the last group of coordinates on, so that what a limb writes behind its end is
// overwritten by the next limb.
template <class Numbers, int W, int matrices>
inline void store_lines_of_root(const Numbers& x, const LimbCoordinates<W>& c, double* const (&M)[matrices],
                                std::int64_t ld) {
  const int last = line_of_block(c.body_count) - 4;
  const LimbLines<matrices> lines(M, [&](int l) { return c.first[l]; });
  for (int i = last; i >= 0; i -= 4)
    for (int e = 0; e < 6; ++e)
      store_lines(behind(x, 6 * (i + 1) + e), 6, i < last ? c.whole_places : c.root_places, lines,
                  e * ld + i);
}
template <class Numbers, int W, int matrices>
inline void store_root_lines(const Numbers& right, const Numbers& below, const LimbCoordinates<W>& c,
                             double* const (&M)[matrices], std::int64_t ld) {
  store_right_of_root(right, c, M, ld);
  store_lines_of_root(below, c, M, ld);
}

TENON_ISA_END
}  // namespace tenon
