// Constrained forward dynamics by one dense solve.
//
//   M qdd + c = tau + J^T lambda + external wrenches        (equation of motion, lambda acts on the robot)
//   (J M^-1 J^T + R) lambda = k - gamma - J a_free          (rows; R the compliance, a_free = M^-1 (tau - c))
//
// [CABA] Eq. 8 with a pseudo-inverse in place of the inverse, so that redundant and contradictory rows are
// ordinary cases. With kinematic loops in explicit form it is solved in independent coordinates: G^T M G, G^T
// (tau - c - M g), J G and k - J g take the places of M, tau - c, J and k. Where rows contradict, sum of
// weight * residual^2 is minimised; among the multipliers that give this motion, those with the least sum of
// lambda^2 / weight are returned. kkt_solver.cpp explains how the rank is decided. Cost O((n + m)^3).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "reference/tree.hpp"
#include "tenon/constraints.hpp"
#include "tenon/model.hpp"
#include "tenon/workspace.hpp"

namespace tenon::reference {

struct KktInputs {
  const double* q = nullptr;    // nq
  const double* v = nullptr;    // nv
  const double* tau = nullptr;  // nv
  const double* wrenches =
      nullptr;  // 6 a link, [moment about the link origin; force], link axes; null for none
  const double* desired = nullptr;  // per row; null for zero
  const Pose* anchors =
      nullptr;  // per constraint, in the order of ConstraintSet::specs(); null for the identity
  Vector3 gravity = {0, 0, -9.81};
  // Per row of the constraints, in the user's order: ConstraintData::scale, which decides the rank; null or
  // zero: from the bounds of the row's entries without cancellation.
  const double* scale = nullptr;
  // Kinematic loops in explicit form, v = G ydot and qdd = G yddot + g: G is nv x ny, column-major. For
  // solvers that were made with ny coordinates.
  const double *G = nullptr, *g = nullptr;
  // Additional rows given as they are, J (rows x nv, column-major) and right-hand side; numbered after those
  // of the constraints.
  const double *given_J = nullptr, *given_rhs = nullptr;
};

// What a solver needs to know besides the constraints of a set.
struct KktShape {
  int ny = -1;  // independent coordinates to solve in; -1: the tree's own
  int given_rows = 0;
};

// How near the last solve was to a different decision.
struct KktMargins {
  // Singular values of the row-scaled J L^-T over the largest one: the smallest kept and the largest dropped
  // (1 and 0 where there is none).
  double kept = 1, dropped = 0;
  double contradiction = 0;  // unreachable part of the rows over the size that counts as infeasible
  // max M_kk (M^-1)_kk: the condition of the mass matrix whose diagonal is scaled to one, within a factor n.
  double mass_condition = 1;
  double free_acceleration = 0;  // largest entry of qdd without the rows, in the coordinates solved for
  // Length of the answer beyond the free motion, |L^T (qdd - a_free)| with sqrt(R) lambda beside it.
  double solution = 0;
  // Of rows [J L^-T, sqrt(R)] before scaling: the longest, the shortest, and the largest ratio of a length
  // without cancellation to the length.
  double longest_row = 0, shortest_row = 1, cancellation = 1;
  // For rows B = W^1/2 [J L^-T, sqrt(R)] with residual r: trace (B^T B)^+ times the sum of |B_i| |r_i|, and
  // the same with each term times the cancellation of row i.
  double unreachable = 0, unreachable_cancelling = 0;
  // The largest change of an entry of qdd for an error of length one in L^T qdd: the largest root of
  // (M^-1)_kk.
  double mobility = 0;
};

// T is the scalar of the whole computation: double, or long double as the standard.
template <class T>
class BasicKktSolver {
 public:
  // Everything is allocated here; solve() allocates nothing.
  BasicKktSolver(Tree tree, const std::vector<ConstraintSpec>& constraints, KktShape shape = {});
  // constraints may be null. In independent coordinates where the model has clusters.
  explicit BasicKktSolver(std::shared_ptr<const Model> model,
                          std::shared_ptr<const ConstraintSet> constraints = nullptr);
  ~BasicKktSolver();
  BasicKktSolver(const BasicKktSolver&) = delete;
  BasicKktSolver& operator=(const BasicKktSolver&) = delete;

  // ok: every row holds (some are redundant where report.rank < rows). infeasible: rows contradict, qdd is
  // the weighted least-squares answer. not_positive_definite: M cannot be factored, nothing was written.
  // lambda may be null. Of the options only the tolerances are read. Inputs must be finite and normalised.
  Status solve(const KktInputs& in, const SolveOptions& options, double* qdd, double* lambda,
               SolveReport& report);

  // Of the last solve: smallest kept over largest eigenvalue of the row-scaled J M^-1 J^T + R (1 without
  // rows).
  double min_kept_over_max() const;
  KktMargins margins() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

using KktSolver = BasicKktSolver<double>;

}  // namespace tenon::reference
