// The driver of all proximal methods: finds the multipliers of J qdd + gamma = k, also of redundant and
// contradictory rows.
//
// A method offers one operation, evaluate(f): with f as proximal centre, minimise the augmented Lagrangian
// over the accelerations and return the rows' K a ([CABA] Eq. 17a, 14b). The proximal step leads to f + r(f)
// with
//   r(f) = mu_row (k - K a - R f),   mu_row = 1 / (R + 1 / mu),
// R the compliance of the row (0: rigid). r is affine in f: r(f) = b - B f, where B has the eigenvalues mu s
// / (1 + mu s) for the eigenvalues s of the Delassus matrix. The papers iterate f := f + r, which contracts
// the component of an eigenvalue by 1 / (1 + mu s) a step: fast for most, hopeless for the few small s of an
// almost singular posture, unless mu is so large that digits are lost.
//
// Two measures help. (1) mu is scaled: each row's mu is mu0 over its typical Delassus diagonal
// (ConstraintData::scale). Forces and moments, feet and fingertips are then treated alike, and mu0 can be
// small enough to keep the digits. (2) Steps are combined: among all visited points, take the affine
// combination with the least residual and step from there (generalised conjugate residuals; the same sweeps
// and a few dot products). All eigenvalues of B are near 1 except for the small s; each of these costs about
// one iteration instead of 1 / (mu s).
//
// Where rows contradict, r does not vanish; iterations converge to the least residual in the metric of 1 /
// mu. When the remaining residual is out of reach, mu is set proportional to the user's weights, and the
// iteration continues to the weighted least-squares residual ([CABA] II-C1). That is subtracted from the
// right-hand sides, and the rest, which is reachable, is solved from the start: the forces of the first
// iteration, mu times the residual, would move a robot whose rows are not exactly redundant.
//
// An iteration is accepted only where it ends below its tolerance. Where it stalls above, rounding errors, a
// direction that rows hardly move, and contradictory rows look the same, so it returns `stalled` and the
// caller gives the rows to method dense (solve/dense.hpp), which does not iterate.
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
  // Takes the proximal parameters 1 / mu of the rows (a row with compliance and 1 / mu = 0 needs no
  // multiplier to be exact). May be called again with others. inv_mu stays valid.
  void (*prepare)(void* self, const double* inv_mu);
  // step := r(f), the proximal step from centre f. refine: this is probably the last call, so correct
  // rounding errors. False: the mass matrix is not positive definite.
  bool (*evaluate)(void* self, const double* f, bool refine, double* step);
  // For each row the larger of its desired and its actual acceleration at the first evaluate, from which the
  // units of residuals are made (solve/row_residual.hpp).
  void (*accelerations)(void* self, double* a);
  // The multipliers of the last evaluate, for methods that know them more exactly than f + r(f). May be null.
  void (*multipliers)(void* self, double* lambda);
  // Subtracts from the right-hand sides what no force can reach, by rows; it stays valid. Null for methods to
  // which method dense costs no more than an iteration: the driver then returns `stalled` where rows
  // contradict.
  void (*give_up)(void* self, const double* unreachable) = nullptr;
  // mu, relative to 1 / (Delassus diagonal of a row), where the options leave it to the schedule. A step
  // leaves about 1 / mu of the residual in well-posed directions, and sums of mu and inertias lose as many
  // digits: a method that refines can take a larger mu. Measured on the robots in models/: constrained_aba
  // needs two to three evaluations for errors of 1e-14 to 1e-11 with 3e7 and refinement; without, four to
  // five for 1e-10 with 1e4, and three for 1e-8 with 1e6.
  double scheduled_mu = 1e5;
  // The same for least squares, where every step adds mu times the contradiction to the multipliers.
  double least_squares_mu = 1e5;
};

// Returned where method dense is to give the answer; never returned to users.
inline constexpr Status stalled = static_cast<Status>(1000);

// lambda: start when options.warm_start, result always. Fills the report except for the rank. Returns ok,
// infeasible, max_iterations (the caller's limit) or stalled.
Status solve_proximal(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
                      ProximalScratch& s, double* lambda, SolveReport& report);

}  // namespace tenon
