// Compiles BranchKernels (branch_data.hpp).
#include "kernels/branches/constrained_aba_branches.hpp"
#include "kernels/branches/crba_branches.hpp"
#include "kernels/branches/inertia_branches.hpp"
#include "kernels/branches/pv_early_branches.hpp"
#include "kernels/branches/rnea_branches.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <int W>
struct BranchKernelsOf {
  using N = Slots<double, W>;
  using P = Pack<double, W>;
  static_assert(sizeof(Bundle<N>) == sizeof(Bundle<P>) && sizeof(LaneNode<N>) == sizeof(LaneNode<P>));

  static Branches<P>& pack(Branches<N>& b) { return reinterpret_cast<Branches<P>&>(b); }
  static constexpr BranchKernels<W> table() {
    return {[](Branches<N>& b, const double* q, const double* v, const double* tau, const double* wrenches,
               double* qdd) { return aba_of_branches(pack(b), q, v, tau, wrenches, qdd); },
            [](Branches<N>& b, const double* q, const double* v, const double* qdd, const double* wrenches,
               double* tau) { rnea_of_branches(pack(b), q, v, qdd, wrenches, tau); },
            [](Branches<N>& b, const LimbCoordinates<W>* coordinates, const double* q, double* M, int ld,
               const DofRun* runs,
               int run_count) { crba_of_branches(pack(b), coordinates, q, M, ld, runs, run_count); },
            [](Branches<N>& b, const double* q, WorkspaceData<double>& whole) {
              return sweep_inertias_of_branches(pack(b), q, whole);
            },
            [](Branches<N>& b, const double* q, const double* v, const double* wrenches,
               WorkspaceData<double>& rows) { constraint_state_of_branches(pack(b), q, v, wrenches, rows); },
            [](Branches<N>& b, const double* v, const double* tau, double* qdd, WorkspaceData<double>& rows) {
              return constrained_aba_start_of_branches(pack(b), v, tau, qdd, rows);
            },
            [](Branches<N>& b, const double* delta, bool refine, const double* tau, double* qdd,
               WorkspaceData<double>& rows) {
              constrained_aba_iterate_of_branches(pack(b), delta, refine, tau, qdd, rows);
            },
            [](Branches<N>& b, const double* v, double* qdd) {
              constrained_aba_finish_of_branches(pack(b), v, qdd);
            },
            [](Branches<N>& b, const double* v, const double* tau, PvEarlyData<double>& whole) {
              return pv_early_reduce_of_branches(pack(b), v, tau, whole);
            },
            [](Branches<N>& b, const double* v, double* qdd, WorkspaceData<double>& rows) {
              pv_early_roll_out_of_branches(pack(b), v, qdd, rows);
            },
            [](Branches<N>& b, const double* tau, const double* qdd) {
              return pv_early_measure_of_branches(pack(b), tau, qdd);
            }};
  }
};

const BranchKernels<branch_width>& branch_kernels() {
  static constexpr auto kernels = BranchKernelsOf<branch_width>::table();
  return kernels;
}

TENON_ISA_END
}  // namespace tenon
