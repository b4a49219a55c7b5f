// The damped inverse of the Delassus matrix applied to vectors, never formed (cABA-OSIMf, [CABA] VI-B).
//
// [CABA] keeps the branches of a floating base apart: Lambda_mu is block diagonal but for a term of rank six
// (Eq. 46d). Here the same holds at every link where branches meet, one inside the other (caba_osim.hpp): a
// vector goes in along the tree of these links as forces F and out again as accelerations a,
//
//   F_parent += propagate^T F + G^T b,   a = propagate a_parent + Omega F + (A^-1 K Omega)^T b,
//   lambda = A^-1 b - A^-1 K Omega F - G a_parent.
//
// O(m) a vector after caba_osim_factor, which is O(n + m); no blocks are formed at all.
#pragma once

#include "kernels/caba_osim.hpp"

namespace tenon {
TENON_ISA_BEGIN

// y += B x, B 6 x 8.
template <class T>
TENON_INLINE void add_products(const T* B, const T* x, T* y) {
  const Row8<T> v = load_row(x);
  for (int e = 0; e < 6; ++e) {
    const Row8<T> b = load_row(B + 8 * e);
    y[e] = y[e] + (b.x[0] * v.x[0] + b.x[1] * v.x[1]).sum();
  }
}

// b of a link's own rows, or of the six that stand for them.
template <class T>
TENON_INLINE void gather_own_rows(const OsimLink& link, const T* b, T* x, const CabaOsimData<T>& d) {
  for (int r = 0; r < 8; ++r) x[r] = T(0);
  for (int r = link.row_begin; r < link.row_end; ++r) {
    if (link.compressed)
      for (int k = 0; k < 6; ++k) x[k] = x[k] + d.basis[k * d.stride + r] * b[r];
    else
      x[r - link.row_begin] = b[r];
  }
}

// lambda of the rows of a link: A^-1 b less `taken`, both of its rows or those that stand for them.
template <class T>
TENON_INLINE void spread_own_rows(int l, const T* b, const T* own_b, const Row8<T>& taken, T* x,
                                  const CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const Row8<T> solved = row_times(own_b, d.own + 48 * l);
  T y[8];
  if (!link.compressed) {
    store(y, solved - taken);
    for (int r = link.row_begin; r < link.row_end; ++r) x[r] = y[r - link.row_begin];
    return;
  }
  store(y, solved + taken);
  for (int r = link.row_begin; r < link.row_end; ++r) {
    T sum = b[r] / d.damping[r];
    for (int k = 0; k < 6; ++k) sum = sum - d.basis[k * d.stride + r] * y[k];
    x[r] = sum;
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
    T* own_b = d.own_b + 8 * l;
    gather_own_rows(link, b, own_b, d);
    if (link.parent < 0) continue;
    T* F = d.force + 8 * link.parent;
    if (link.row_end > link.row_begin) add_products(d.gain + 48 * l, own_b, F);
    if (link.inner) add_products(d.propagate + 48 * l, d.force + 8 * l, F);
  }
  for (int l = d.link_count - 1; l >= 0; --l) {
    const OsimLink& link = d.links[l];
    const T* above = link.parent >= 0 ? d.motion + 8 * link.parent : none;
    const T* own_b = d.own_b + 8 * l;
    const T* F = d.force + 8 * l;
    const bool has_rows = link.row_end > link.row_begin, has_drive = has_rows && link.inner;
    if (has_rows) {
      Row8<T> taken = row_times(above, d.gain + 48 * l);
      if (has_drive) taken = taken + row_times(F, d.drive + 48 * l);
      spread_own_rows(l, b, own_b, taken, x, d);
    }
    if (!link.inner) continue;
    T* a = d.motion + 8 * l;
    store(a, row_times(F, d.omega + 48 * l) + row_times(above, d.propagate + 48 * l));
    if (has_drive) add_products(d.drive + 48 * l, own_b, a);
  }
}

TENON_ISA_END
}  // namespace tenon
