// The one driver of all proximal methods: finds the multipliers of J qdd + gamma = k, redundant and
// contradictory rows included.
//
// A method offers one operation, evaluate(f): with f as proximal centre, minimise the augmented Lagrangian
// over the accelerations and return the rows' K a ([CABA] Eq. 17a, 14b). The proximal point step is then f +
// r(f) with
//   r(f) = mu_row (k - K a - R f),   mu_row = 1 / (R + 1 / mu),
// R the compliance of the row (0: rigid). r is affine in f: r(f) = b - B f, where B has the eigenvalues
// mu s / (1 + mu s) for the eigenvalues s of the Delassus matrix. The papers iterate f := f + r, which
// contracts an eigenvalue by 1 / (1 + mu s) a step: fast for most, hopeless for the few small s of an almost
// singular posture, unless mu is so large that digits are lost.
//
// Two things are done about it. (1) mu is scaled: each row's mu is mu0 over its typical Delassus diagonal
// (ConstraintData::scale), so forces and moments, feet and fingertips are treated alike and mu0 can be small
// enough to keep the digits. (2) The steps are combined: among all points visited, take the affine
// combination of smallest residual, then step from there (generalised conjugate residuals; the same sweeps, a
// few dot products more). B has its eigenvalues clustered at 1 but for the small s, each of which costs about
// one iteration instead of 1 / (mu s).
//
// Where rows contradict, r does not vanish; iterations converge to the least residual in the metric of 1 /
// mu. When the remaining residual is seen to be out of reach, mu is set proportional to the user's weights
// and the iteration goes on to the weighted least-squares residual ([CABA] II-C1). That is taken off the
// right-hand sides, and the rest, which can be reached, is solved from the start: the forces that chased what
// is out of reach, mu times as large, would move a robot whose rows are not quite dependent.
//
// An iteration is believed only where it ends below its tolerance. Where it stalls above, the answer would be
// a guess: rounding, a direction that rows hardly move, or rows that contradict look alike from here. The
// driver says so, and the caller hands the rows to method dense (solve/dense.hpp), which does not iterate.
#pragma once

#include <cstddef>
#include <vector>

#include "model/constraint_data.hpp"
#include "plan/memory/proximal_memory.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// What a method must offer. `self` is the method's own data.
struct ProximalMethod {
  void* self;
  // Takes the proximal terms 1 / mu of the rows (a row with compliance and 1 / mu = 0 needs no multiplier to
  // be exact). Also called again with other ones. inv_mu stays valid.
  void (*prepare)(void* self, const double* inv_mu);
  // step := r(f), the proximal step from centre f. refine: this is likely the last one; make up for what
  // rounding has cost so far. False: the mass matrix is not positive definite.
  bool (*evaluate)(void* self, const double* f, bool refine, double* step);
  // The accelerations that the rows ask for or see, the larger of the two for each, known after the first
  // evaluate: what residuals are measured by (solve/row_residual.hpp).
  void (*accelerations)(void* self, double* a);
  // The multipliers that belong to the accelerations of the last evaluate, where the method knows them better
  // than f + r(f). May be null.
  void (*multipliers)(void* self, double* lambda);
  // Takes off the right-hand sides what no force can reach, by rows; it stays valid. Null where a solve by
  // method dense costs this method no more than its own: it then stalls at once where rows contradict.
  void (*give_up)(void* self, const double* unreachable) = nullptr;
  // mu over the Delassus diagonal of a row when the options leave it to the schedule. A step leaves about 1 /
  // mu of the residual in well-posed directions, and sums of mu and inertias lose as many digits: a method
  // that refines can afford more. Measured on the robots in models/: constrained_aba needs two to three
  // evaluations for errors of 1e-14 to 1e-11 with 3e7 and refinement; without, four to five for 1e-10 with
  // 1e4, and three for 1e-8 with 1e6.
  double scheduled_mu = 1e5;
  // The same for least squares, where every step adds mu times the contradiction to the multipliers.
  double least_squares_mu = 1e5;
};

// What the methods return where the answer is to come from method dense; it does not leave the solvers.
inline constexpr Status stalled = static_cast<Status>(1000);

// lambda: start when options.warm_start, result always. Fills the report but for the rank. Returns ok,
// infeasible, max_iterations (the caller's limit came first) or stalled.
Status solve_proximal(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
                      ProximalScratch& s, double* lambda, SolveReport& report);

}  // namespace tenon
