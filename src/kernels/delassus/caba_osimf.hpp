// The damped inverse of the Delassus matrix applied to vectors, never formed (cABA-OSIMf, [CABA] VI-B).
//
// [CABA] keeps the branches of a floating base apart: Lambda_mu is block diagonal plus a term of rank six
// (Eq. 46d). Here this holds at every branching link of the tree, recursively (caba_osim.hpp). A vector is
// propagated inward along these links as forces F and outward as accelerations a,
//
//   F_parent += propagate^T F + G^T b,   a = propagate a_parent + Omega F + (A^-1 K Omega)^T b,
//   lambda = A^-1 b - A^-1 K Omega F - G a_parent.
//
// O(m) a vector after caba_osim_factor, which is O(n + m); no blocks are formed.
#pragma once

#include "kernels/delassus/caba_osim.hpp"

namespace tenon {
TENON_ISA_BEGIN

// y += B x, B 6 x width.
template <class T>
TENON_INLINE void add_products(const T* B, int width, const T* x, T* y) {
  for (int e = 0; e < 6; ++e) {
    Lanes<T> sum(T(0));
    for (int place = 0; place < width; place += 4)
      sum = sum + Lanes<T>::load(B + e * width + place) * Lanes<T>::load(x + place);
    y[e] = y[e] + sum.sum();
  }
}
// Eight places of x - B^T y.
template <class T>
TENON_INLINE Row8<T> less_products(const Row8<T>& whole, const T* B, int width, const T* y) {
  Row8<T> x = whole;
  for (int e = 0; e < 6; ++e) x = x - y[e] * load_row(B + e * width);
  return x;
}

// lambda = A^-1 b - A^-1 K Omega F - G a_parent of the rows of a link.
template <class T>
TENON_INLINE void find_own_rows(int l, const T* above, T* lambda, const CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const int rows = link.row_end - link.row_begin, width = link.width;
  const T* b = d.own_b + link.place;
  for (int place = 0; place < width; place += 8) {
    const T* own = d.own + link.own_begin + place;
    Row8<T> x = b[0] * load_row(own);
    for (int r = 1; r < rows; ++r) x = x + b[r] * load_row(own + r * width);
    if (link.parent >= 0) x = less_products(x, d.gain + 6 * link.place + place, width, above);
    if (link.inner) x = less_products(x, d.drive + 6 * link.place + place, width, d.force + 8 * l);
    T found[8];
    store(found, x);
    for (int r = place; r < rows && r < place + 8; ++r) lambda[link.row_begin + r] = found[r - place];
  }
}

// x := Lambda_mu b, rows in the kernels' order; x may not be b.
template <class T>
void caba_osimf_apply(const T* b, T* x, CabaOsimData<T>& d) {
  const T none[8] = {};
  for (int r = 0; r < d.world_rows; ++r) x[r] = b[r] / d.damping[r];
  for (int e = 0; e < 8 * d.link_count; ++e) d.force[e] = T(0);
  for (int l = 0; l < d.link_count; ++l) {
    const OsimLink& link = d.links[l];
    for (int r = link.row_begin; r < link.row_end; ++r) d.own_b[link.place + r - link.row_begin] = b[r];
    if (link.parent < 0) continue;
    T* F = d.force + 8 * link.parent;
    if (link.row_end > link.row_begin)
      add_products(d.gain + 6 * link.place, link.width, d.own_b + link.place, F);
    if (link.inner) add_products(d.propagate + 48 * l, 8, d.force + 8 * l, F);
  }
  for (int l = d.link_count - 1; l >= 0; --l) {
    const OsimLink& link = d.links[l];
    const T* above = link.parent >= 0 ? d.motion + 8 * link.parent : none;
    const bool has_rows = link.row_end > link.row_begin;
    if (has_rows) find_own_rows(l, above, x, d);
    if (!link.inner) continue;
    T* a = d.motion + 8 * l;
    store(a, row_times(d.force + 8 * l, d.omega + 48 * l) + row_times(above, d.propagate + 48 * l));
    if (has_rows) add_products(d.drive + 6 * link.place, link.width, d.own_b + link.place, a);
  }
}

TENON_ISA_END
}  // namespace tenon
