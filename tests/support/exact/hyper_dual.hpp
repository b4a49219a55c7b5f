// Exact second derivatives along two directions: numbers x + s e1 + t e2 + st e1 e2 with e1^2 = e2^2 = 0, in long double, as
// the scalar of the library's recursive algorithms (J. Fike and J. Alonso, The development of hyper-dual numbers, 2011).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "support/exact/dual.hpp"

namespace tenon::testing {

// Second derivatives of r = ID(q, v, qdd) - J^T lambda and of s = J qdd + gamma + R lambda - k along two directions.
class HyperDualDynamics {
 public:
  HyperDualDynamics(Workspace& w, const std::vector<double>& q, const std::vector<double>& v,
                    const std::vector<double>& wrenches);
  ~HyperDualDynamics();
  // Of tau and of qdd, along q by integrate(), and v and the third.
  Eigen::VectorXd inverse(const std::vector<double>& a, const Direction& one, const Direction& two);
  Eigen::VectorXd forward(const std::vector<double>& tau, const Direction& one, const Direction& two);
  // Where qdd and lambda change along one and two by what is in `third` and in lambda_one and lambda_two, and not by both.
  ResidualChanges constrained(const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                              const std::vector<double>& desired, const Direction& one, const Direction& two,
                              const Eigen::VectorXd& lambda_one, const Eigen::VectorXd& lambda_two);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tenon::testing
