// Is a motion right, joint by joint? In long double, from the Jacobians of the dense reference and the numbers of the
// Mechanism itself:
//
//   r = M qdd + c - tau - J^T lambda
//   error of joint k:  |r_k| / (own_k + 1e-4 levers_k + 1e-6 sqrt(M_kk) max(max_j (own_j + levers_j) / sqrt(M_jj),
//                                                                           max_i |rhs_i| / sqrt(sum_j J_ij^2 / M_jj)))
//
// own_k, the joint's own size, is the sum of the sizes of its terms, sum_j |M_kj qdd_j| + |c_k| + |tau_k| + |(J^T lambda)_k|: a
// light wrist is judged by its own small forces, not by those of the arm that carries it. Beside it is what rounding may cost
// where an error of 1e-9 is allowed: levers_k is what the forces of the rows come to without cancellation, of levers that are
// differences of larger numbers, and a thousandth of the robot's reach longer (1e-16 of it: places in the world are rounded
// so); and the last term is 1e-15 of the largest force that acts or that a row asks for by itself,
// in the metric of M. Residuals of rows cannot
// see such errors, since these joints do not move the rows. Whether rows hold is judged by campaign.hpp.
#pragma once

#include <string>
#include <vector>

#include "reference/dense_rows.hpp"
#include "support/oracle.hpp"

namespace tenon::testing {

struct MotionState {
  std::vector<double> q, v, tau, desired;
  std::vector<bool> active;  // per constraint
};

struct MotionError {
  double motion = 0;    // the largest; infinite for what is no number, or for a force on rows that are off
  int coordinate = -1;  // that has it
};

class MotionJudge {
 public:
  // Rigid rows without stabilisation, on a robot without loops.
  MotionJudge(const Robot& robot, const ConstraintSet& set);
  MotionError judge(const MotionState& state, const double* qdd, const double* lambda);

 private:
  const ConstraintSet& set_;
  reference::Tree tree_;
  Vector3 gravity_;
  reference::DenseDynamics<Real> dynamics_;
  reference::DenseRows<Real> rows_;
  reference::MatX<Real> M_;
  reference::VecX<Real> c_, residual_, own_, levers_;
};

}  // namespace tenon::testing
