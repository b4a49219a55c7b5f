// The driver of all proximal methods: finds the multipliers of J qdd + gamma = k, also of redundant and
// contradictory rows.
//
// A method offers one operation, evaluate: with f as proximal centre, minimise the augmented Lagrangian
// over the accelerations ([CABA] Eq. 17a, 14b). The proximal step leads to f + r(f) with
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
// An iteration is accepted only where it ends below its tolerance. Where it stalls above, rounding errors, a
// direction that rows hardly move, and contradictory rows look the same, so it returns `stalled` and the
// caller chooses another method (calls/constrained.cpp); dense (solve/dense.cpp) does not iterate, and has the
// least squares of contradictory rows.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/constrained/proximal_point.hpp"
#include "solve/constrained_problem.hpp"

namespace tenon {

// first: with new 1 / mu. refining: likely the last one; it removes rounding errors of those before.
enum class Evaluation { first, plain, refining };

// The operations of a method that the driver needs.
class ProximalMethod {
 public:
  explicit ProximalMethod(const ConstrainedProblem& problem, double scheduled = 1e5)
      : p(problem), scheduled_mu(scheduled) {}

  // step := r(f), the proximal step from the centre of the point, and its sizes. Returns false if the mass matrix is not
  // positive definite.
  virtual bool evaluate(Evaluation kind, ProximalPoint<double>& x) = 0;
  // The acceleration of row r, known after the first evaluate. residual: that of the row.
  virtual double seen(int r, double residual) const { return p.w.arena.data.k[r] - residual; }
  // Units of rows, from the desired or the actual accelerations of the last evaluation.
  RowUnits<double> units(const ProximalPoint<double>& x) const {
    const double* k = p.w.arena.data.k;
    return row_units<double>(rows, [&](int r) {
      return larger(magnitude_of(k[r]), magnitude_of(seen(r, x.step[r] * x.inv_mu[r])));
    });
  }
  // After a refining evaluate: the largest error of a joint's equation of motion that it found, relative to its terms.
  // It leaves about the square of that.
  virtual double motion_error() const { return 0; }
  // Writes the multipliers for the accelerations of the last evaluate, if the method knows them more exactly
  // than f + r(f).
  virtual void multipliers(double*) const {}

  const ConstrainedProblem& p;
  const ConstraintData& rows = *p.w.cd();
  // mu over the Delassus diagonal of a row if the caller sets no mu. A step leaves about 1 / mu of the
  // residual in well-posed directions, and sums of mu and inertias lose as many digits, so a method that
  // refines can use a larger mu. Measured on the robots in models/: constrained_aba with refinement needs two
  // evaluations with 2e8 (Go1 2.00, Atlas 2.15 on average) and three with 3e7; without, four to five for 1e-10
  // with 1e4, and three for 1e-8 with 1e6.
  const double scheduled_mu;

 protected:
  // To be called by evaluate, if its kernel leaves step alone.
  void measure(Evaluation kind, ProximalPoint<double>& x) const {
    if (kind == Evaluation::first) x.units = units(x);
    measure_step(rows, x);
  }
  ~ProximalMethod() = default;
};

// 1 / mu of row r for this mu relative to the Delassus diagonal, or for that of the caller. 0: the row is softer than
// its own penalty, and exact without a multiplier.
double proximal_term(const SolveOptions& options, const ConstraintData& c, int r, double mu);

// p.lambda is the result, and the start if options.warm_start. Fills the report except the rank. Returns ok,
// max_iterations (the caller's limit was reached) or stalled.
Outcome solve_proximal(ProximalMethod& method);

}  // namespace tenon
