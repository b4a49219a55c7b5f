// Method prox_ltl: kernels/constrained/prox_ltl.hpp driven by solve/proximal.hpp.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// The coordinates of methods in joint space: the model's, or with embedded loops the independent ones
// (kernels/cluster/independent_space_data.hpp).
struct JointSpace {
  const ModelData& tree;
  const ConstraintData& rows;
  WorkspaceData<double>& w;
  double* qdd;
  DerivativeData<double>* chains;  // ConstrainedProblem::chains
};
JointSpace joint_space_of(WorkspaceImpl& w, DerivativeData<double>* chains = nullptr);
inline JointSpace joint_space_of(const ConstrainedProblem& p) {
  return joint_space_of(p.w, p.chains);
}

// The factor of M, the rows of J L^-T in WorkspaceData::ZT, and the right-hand side row_rhs - row_free. False when the mass
// matrix is not positive definite.
bool start_joint_space(const ConstrainedProblem& p);
// Of M x - J^T y = X, J x + R y = G, with a factor of the rows: X := sign x and G := sign y; G null: zero, and y is not wanted
// (kernels/constrained/row_factor.hpp: solve_rows_of_column). After that.
void solve_constrained_column(const WorkspaceImpl& w, const JointSpace& s, RowFactorData& factor, double sign,
                              double* X, double* G);
// start_joint_space and the Delassus matrix.
bool start_prox_ltl(const ConstrainedProblem& p);
// After start_prox_ltl: the proximal iteration, then the accelerations.
Outcome iterate_prox_ltl(const ConstrainedProblem& p);
// After start_joint_space: method ltl where the pivots of J M^-1 J^T + R are above this share of its diagonal. False: there is
// no answer. WorkspaceData::damping, dual_factor and dual_inv_d have the factor.
bool solve_by_delassus(const ConstrainedProblem& p, double least_pivot);
// w.w().qdd from p.lambda; JointSpace::w.row_step: the residuals of the rows.
void finish_prox_ltl(const ConstrainedProblem& p);
// The same without multipliers, from WorkspaceData::y = z and the terms of the rows (kernels/constrained/prox_ltl.hpp). slack: R
// lambda.
void finish_prox_ltl(const ConstrainedProblem& p, const double* slack);

}  // namespace tenon
