// What the Delassus matrix, its damped inverse and the operational-space products share.
#pragma once

#include "state/projection.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/delassus.hpp"

namespace tenon {

// WorkspaceData::delassus := J M^-1 J^T in the kernels' order of rows, leading dimension whole_packs(rows):
// the lower triangle, column-major, with zeros below the last row. q is checked already; a failure leaves its
// message in w. keeps_bodies: the caller goes on with joint transforms, inertias and rows of all bodies.
Status fill_delassus(WorkspaceImpl& w, DelassusMethod method, const double* q, SplitFor split,
                     bool keeps_bodies = false);

// The same by a method that needs articulated inertias, after KernelTable::sweep_inertias, for any number.
template <DelassusMethod method, class T>
void delassus_of_inertias(const KernelTable<T>& kernels, const ModelData& m, const ConstraintData& c,
                          PvData<T>& pv, DelassusMemory<T>& d, WorkspaceData<T>& w) {
  if constexpr (method == DelassusMethod::kjr) {
    kernels.kjr(m, c, d.kjr, w);
  } else if constexpr (method == DelassusMethod::efpa) {
    kernels.efpa(m, c, pv, d.efpa, w);
  } else if constexpr (method == DelassusMethod::pv_osim) {
    kernels.pv_osim(m, c, pv, w);
  } else {
    static_assert(method == DelassusMethod::pv_osimr, "a method without a kernel");
    kernels.place_rows(m, c, w);
    kernels.osimr_ends(m, d.osimr.data, w);
    kernels.osimr_branches(m, d.osimr.data, w);
  }
}

// Articulated inertias and joint transforms at q, of limbs side by side where that pays; what the kernels of the
// Delassus matrix begin with. q is checked already; a failure leaves its message in w.
Status sweep_inertias(WorkspaceImpl& w, const double* q);

// 1 / mu of each row, in the kernels' order. damping is checked already.
void proximal_damping(const WorkspaceImpl& w, const Damping& damping, double* out);
// E: with the compliance of each row.
void damping_of_rows(const WorkspaceImpl& w, const Damping& damping, double* out);

// Copies a symmetric matrix of that layout to both triangles in the user's order of rows.
void symmetric_to_user(const WorkspaceImpl& w, const double* lower, double* out, int ld);

}  // namespace tenon
