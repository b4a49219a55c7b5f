// pv_osimr (kernels/delassus/pv_osimr.hpp) on branch lanes. All rows of a limb are propagated to its parent, a row of each
// limb side by side, and add the limb's part to their block of the matrix. They arrive where the trunk's sweep has rows that
// meet at the parent: of the limbs it needs nothing else.
#pragma once

#include "kernels/branches/constrained_aba_branches.hpp"
#include "kernels/branches/inertia_branches.hpp"
#include "kernels/delassus/pv_osimr.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
inline void place_limb_rows(Bundle<P>& limbs) {
  if (limbs.rows.poses != ConstraintPoses::none) read_parents(limbs, &LimbParent::Rs, limbs.w.Rs, 9);
  place_rows(limbs.model, limbs.rows, limbs.w);
  leave_rows_out<false>(limbs.rows, limbs.w);
}

// Propagates a copy of them to the parent; returns the number of columns of W. most: room_for_rows.
template <class P>
TENON_NOINLINE int carry_limb_rows(const Bundle<P>& limbs, int most) {
  const LimbRows<P>& own = limbs.osimr;
  for (int r = 0; r < limbs.rows.row_count; ++r) store(own.K + 6 * r, load_force<P>(limbs.w.K + 6 * r));
  int columns = 0;
  for (int i = own.depth; i > 0; --i) {
    const int first = limbs.rows.node_row_first[i], place = most * columns + first;
    columns +=
        carry_along_path<false>(limbs.model, i, i - 1, RowArrays<P>{own.K + 6 * first, 1, 6},
                                limbs.rows.row_count - first, most, own.W + place, own.W_d + place, limbs.w);
  }
  return columns;
}

template <int most, class P>
TENON_INLINE void sum_over_limb(int columns, const LimbRows<P>& own) {
  sum_over_path<most, most>(columns, own.W, own.W_d,
                            [&](int j, int r, const P& x) { own.block[whole_packs(most) * j + r] = x; });
}

// The rows and their block of the matrix, from the last rows on, so that what a limb writes behind its end is overwritten
// by the next limb.
template <class P>
inline void give_rows(const Bundle<P>& limbs, int most, const OsimrData<double>& d, double* matrix) {
  const LimbRows<P>& own = limbs.osimr;
  const int rows = limbs.rows.row_count;
  double *to_K[P::width], *to_block[P::width];
  for (int l = 0; l < P::width; ++l)
    to_K[l] = d.K + own.begin[l], to_block[l] = matrix + own.begin[l] * (d.matrix_stride + 1);
  for (int r = (rows - 1) / 4 * 4; r >= 0; r -= 4) {
    for (int e = 0; e < 6; ++e)
      store_of_limbs(own.K + 6 * r + e, 6, own.row_places[r / 4], to_K, e * d.row_stride + r);
    for (int j = 0; j < rows && j < r + 4; ++j)
      store_of_limbs(own.block + whole_packs(most) * j + r, 1, own.block_places[j][r / 4], to_block,
                     j * d.matrix_stride + r);
  }
}

// The matrix, after inertias and rows.
template <class P>
inline void sweep_rows_of_branches(Branches<P>& b, OsimrData<double>& d, WorkspaceData<double>& whole) {
  TreePart<double>& trunk = b.trunk;
  trunk.w.delassus = whole.delassus;
  b.kernels->osimr_ends(trunk.model, d, trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    const Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.row_count == 0) continue;
    const int most = room_for_rows(limbs.rows.row_count), columns = carry_limb_rows(limbs, most);
    if (most == 3)
      sum_over_limb<3>(columns, limbs.osimr);
    else
      sum_over_limb<most_rows_at_once>(columns, limbs.osimr);
    give_rows(limbs, most, d, whole.delassus);
  }
  b.kernels->osimr_branches(trunk.model, d, trunk.w);
}

template <class P>
bool pv_osimr_of_branches(Branches<P>& b, const double* q, OsimrData<double>& d,
                          WorkspaceData<double>& whole) {
  if (!sweep_inertias_of_parts(b, q)) return false;
  b.kernels->place_rows(b.trunk.model, b.trunk.rows, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k)
    if (b.bundles[k].rows.row_count > 0) place_limb_rows(b.bundles[k]);
  sweep_rows_of_branches(b, d, whole);
  return true;
}

template <class P>
bool aba_and_osimr_of_branches(Branches<P>& b, const Inputs<double>& in, double* qdd, OsimrData<double>& d,
                               WorkspaceData<double>& whole) {
  if (!accelerate_branches(b, in, qdd)) return false;
  sweep_rows_of_branches(b, d, whole);
  return true;
}

TENON_ISA_END
}  // namespace tenon
