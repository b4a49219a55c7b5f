// The damped inverse of the Delassus matrix without a factor of it (cABA-OSIM, [CABA] Alg. 5):
//
//   Lambda_mu = (J M^-1 J^T + E)^-1,   E = R + 1 / mu  per row
//
// Alg. 5 adds K^T mu K to the inertia of each constrained link and computes mu - mu J M_mu^-1 J^T mu at the
// end (Eq. 44): a difference of numbers as large as mu, which loses as many digits. Here constraints enter
// the inertias by the same matrix inversion lemma, but not on their link: at the inward end of its segment,
// the next branching link, which has constraints on more than one side. There, with P and Omega of the
// segment ([OSIMR] Eq. 9, 11; 6 x 6, or K P and K Omega K^T directly where the link has six rows or fewer),
//
//   A = K Omega K^T + E,   Phi = P K^T A^-1 K P^T   is added to the articulated inertia,
//   lambda = A^-1 (b - K Omega F) - G a_parent,       G = A^-1 K P^T,
//
// F the forces from the subtree of the link. A has the size of a Delassus matrix, so no sum adds mu to an
// inertia, unless a segment has fewer joints than its link has rows: in directions that the segment cannot
// move, such rows have E alone. That does no harm where the rest of the robot moves them. Where they depend
// on other rows the error is about (rounding) x (mu s)^2, s their Delassus diagonal, and
// calls/damped_inverse.cpp uses another method.
//
// Outward, the response Psi of each branching link to a force on it, with the whole robot moving and all
// constraints active, and the blocks of Lambda_mu: for rows i, j whose paths inward meet at link p
//
//   -G_i Psi_p G_j^T,   and A^-1 - G Psi_parent G^T for rows of one link,
//
// with G propagated to p. O(n + m^2): each step over a segment has a fixed size, each pair of rows costs six
// products. (A of a link with many rows is factored densely: the cube of the rows of one link.)
//
// A cluster (kernels/cluster/cluster_rows.hpp) counts as a joint of a segment if all its rows enter through
// one of its bodies. If they enter through several, they would add an inertia between two bodies, and
// calls/damped_inverse.cpp uses another method.
#pragma once

#include "kernels/delassus/caba_osim_segments.hpp"
#include "kernels/tree/rank_six_columns.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Psi of every link with rows in its subtree, outward from the world.
template <class T>
inline void find_responses(CabaOsimData<T>& d) {
  for (int l = d.link_count - 1; l >= 0; --l) {
    const OsimLink& link = d.links[l];
    if (!link.inner) continue;
    const T* omega = d.omega + 48 * l;
    T* psi = d.psi + 48 * l;
    if (link.parent < 0) {
      for (int e = 0; e < 48; ++e) psi[e] = omega[e];
      continue;
    }
    const T* P = d.propagate + 48 * l;  // transposed
    T product[48];
    for (int e = 0; e < 6; ++e) store(product + 8 * e, row_times(d.psi + 48 * link.parent + 8 * e, P));
    for (int i = 0; i < 6; ++i) {
      Row8<T> sum = load_row(omega + 8 * i);
      for (int e = 0; e < 6; ++e) sum = sum + P[8 * e + i] * load_row(product + 8 * e);
      store(psi + 8 * i, sum);
    }
    for (int e = 0; e < 6; ++e)
      for (int s = 0; s < e; ++s) psi[8 * e + s] = psi[8 * s + e];
  }
}

// Columns [from, to), rows [begin, end) := -left Psi right^T; Psi null: the identity.
template <class T>
inline void fill_block(const T* left, int begin, int end, const T* Psi, const T* right, int from, int to,
                       CabaOsimData<T>& d) {
  if (begin == end) return;
  for (int column = from; column < to; column += 4) {
    const int count = to - column < 4 ? to - column : 4;
    T h[4][8];
    for (int j = 0; j < count; ++j) {
      T g[6];
      for (int e = 0; e < 6; ++e) g[e] = right[e * d.stride + column + j];
      if (Psi)
        store(h[j], row_times(g, Psi));
      else
        for (int e = 0; e < 6; ++e) h[j][e] = g[e];
    }
    rank_six_columns(count, left, d.stride, begin, end, h, d.stride, d.matrix + column * d.stride);
  }
}

// A^-1 - G Psi_parent G^T of the rows of one link.
template <class T>
inline void fill_own_block(const OsimLink& link, CabaOsimData<T>& d) {
  const int begin = link.row_begin, end = link.row_end;
  if (link.parent >= 0) fill_block(d.gain_up, begin, end, d.psi + 48 * link.parent, d.gain_up, begin, end, d);
  for (int j = begin; j < end; ++j) {
    T* column = d.matrix + j * d.stride;
    const T* own = d.own + link.own_begin + (j - begin) * link.width - begin;
    for (int i = begin; i <= j; ++i) column[i] = link.parent >= 0 ? column[i] + own[i] : own[i];
  }
}

// Copies a 6 x width block to the rows of a link in a row array.
template <class T>
TENON_INLINE void spread_rows(const OsimLink& link, const T* block, T* array, int stride) {
  for (int e = 0; e < 6; ++e)
    for (int r = link.row_begin; r < link.row_end; ++r)
      array[e * stride + r] = block[e * link.width + r - link.row_begin];
}

// drive_up of a link's own rows: A^-1 K omega + G Psi_parent P; d.propagate holds P transposed.
template <class T>
inline void find_drive(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const int width = link.width;
  const T* drive = d.drive + 6 * link.place;
  if (link.parent < 0) {
    spread_rows(link, drive, d.drive_up, d.stride);
    return;
  }
  const T* gain = d.gain + 6 * link.place;
  T response[48];
  for (int e = 0; e < 6; ++e)
    store(response + 8 * e, row_times(d.psi + 48 * link.parent + 8 * e, d.propagate + 48 * l));
  for (int i = 0; i < 6; ++i) {
    for (int place = 0; place < width; place += 8) {
      Row8<T> x = load_row(drive + i * width + place);
      for (int e = 0; e < 6; ++e) x = x + response[8 * e + i] * load_row(gain + e * width + place);
      store(d.own_KT + i * width + place, x);
    }
  }
  spread_rows(link, d.own_KT, d.drive_up, d.stride);
}

// gain_up of the rows on descendants of a link, from its acceleration to its parent's. Packs may overwrite
// earlier rows, which are filled later.
template <class T>
inline void carry_gain(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  const T* P = d.propagate + 48 * l;
  for (int place = link.subtree_row_end - 4; place > link.row_end - 4; place -= 4) {
    T* up = d.gain_up + place;
    Lanes<T> x[6], y[6];
    load_six(up, d.stride, x);
    times_transposed(x, P, y);
    for (int e = 0; e < 6; ++e) y[e].store(up + e * d.stride);
  }
}

// Pairs of rows whose paths meet at the link: rows of different children, and its own rows with theirs.
template <class T>
inline void fill_parting_blocks(int l, CabaOsimData<T>& d) {
  const OsimLink& link = d.links[l];
  for (int child = l - 1; child >= 0; child = d.links[child].next) {
    const OsimLink& side = d.links[child];
    fill_block(d.gain_up, link.row_end, side.row_begin, d.psi + 48 * l, d.gain_up, side.row_begin,
               side.subtree_row_end, d);
  }
  if (link.row_begin == link.row_end) return;
  find_drive(l, d);
  fill_block<T>(d.drive_up, link.row_begin, link.row_end, nullptr, d.gain_up, link.row_end,
                link.subtree_row_end, d);
}

// The upper triangle of Lambda_mu, after caba_osim_factor.
template <class T>
void caba_osim_form(CabaOsimData<T>& d) {
  find_responses(d);
  for (int l = 0; l < d.link_count; ++l) {
    const OsimLink& link = d.links[l];
    if (link.inner) {
      fill_parting_blocks(l, d);
      if (link.parent >= 0) carry_gain(l, d);
    }
    if (link.row_end > link.row_begin) {
      if (link.parent >= 0) spread_rows(link, d.gain + 6 * link.place, d.gain_up, d.stride);
      fill_own_block(link, d);
    }
    if (link.parent >= 0) continue;
    // Rows of different trees, and rows on the world, are not coupled.
    for (int j = link.row_begin; j < link.subtree_row_end; ++j)
      for (int i = 0; i < link.row_begin; ++i) d.matrix[j * d.stride + i] = T(0);
  }
  for (int j = 0; j < d.world_rows; ++j) {
    for (int i = 0; i < j; ++i) d.matrix[j * d.stride + i] = T(0);
    d.matrix[j * d.stride + j] = T(1) / d.damping[j];
  }
}

TENON_ISA_END
}  // namespace tenon
