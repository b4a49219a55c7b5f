// The driver of methods that solve the dual problem of the rows by one factor, without penalties:
//
//   (L + E) lambda = b,   L = J M^-1 J^T,   b = k - J a_free,   E = R + tikhonov
//
// They need independent rows. Where a pivot of L + E is tiny relative to its diagonal element (data/rank.hpp), or where
// the rows do not hold after refinements, there is no answer; the methods then go on with proximal steps on the same L.
#pragma once

#include <cmath>

#include "data/rank.hpp"
#include "kernels/constrained/row_residual.hpp"
#include "solve/constrained_problem.hpp"

namespace tenon {

// The operations of a method that the driver needs.
class DirectMethod {
 public:
  // E: an array of the method's, for all rows.
  DirectMethod(const ConstrainedProblem& problem, double* damping) : p(problem), E(damping) {}

  // Factors L + E. Returns the smallest ratio of a pivot to its diagonal element, 0 where a diagonal is far below its
  // typical size.
  virtual double factor() = 0;
  // step := (L + E)^-1 (b - (L + E) lambda).
  virtual void find_step(double* step) = 0;
  // After the step was added to p.lambda: leaves the motion of p.lambda in qdd and Ka, and its residual in the report.
  virtual void move(const double* step) = 0;
  virtual double free(int r) const = 0;  // b

  const ConstrainedProblem& p;
  double* const E;
  bool moved = false;  // by solve_direct, with p.lambda

 protected:
  ~DirectMethod() = default;
};

// True: the answer is in p.lambda and qdd, and the report is filled. least_pivot: over its diagonal element (data/rank.hpp).
bool solve_direct(DirectMethod& method, double least_pivot = sure_pivot);

// DirectMethod::factor of WorkspaceData::delassus (lower triangle): into dual_factor and dual_inv_d.
double factor_delassus(WorkspaceImpl& w, double* E);

// The largest residual of a row, after a sweep that leaves k and Ka, for the report.
void report_residual(const ConstrainedProblem& p);

// Whether rows with this compliance hold then, to the tolerance or to rounding. free(r): b; where free accelerations are
// much larger than desired ones, the sums in b have no more digits.
template <class Free>
bool rows_hold(const ConstrainedProblem& p, const double* compliance, const Free& free) {
  const WorkspaceData<double>& d = p.w.w();
  const ConstraintData& c = *p.w.cd();
  const RowUnits<double> units = row_units(c, d);
  for (int r = 0; r < c.row_count; ++r) {
    const double left = std::abs(d.k[r] - d.Ka[r] - compliance[r] * p.lambda[r]);
    const auto holds = [&](double residual) {  // false where it is no number
      return size_in_unit(units, c, r, residual, p.options.absolute_tolerance) <=
             p.options.relative_tolerance;
    };
    if (holds(left)) continue;  // most
    const double allowed = acceleration_rounding / one_over_unit(row_units<double>(c, free), c, r);
    if (!(left <= allowed) && !holds(left - allowed)) return false;
  }
  return true;
}

}  // namespace tenon
