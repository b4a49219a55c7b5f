// Forward dynamics of loops by every exact method, those for comparison too where they are built.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tenon/dynamics.hpp"
#ifdef TENON_EXPERIMENTAL
#include "tenonx/loop_methods.hpp"
#endif

namespace tenon::testing {

template <class Check>
void for_exact_loop_methods(Workspace& w, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            const Eigen::VectorXd& tau, const double* wrenches, const Check& check) {
  Eigen::VectorXd qdd(v.size());
  ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data(), wrenches}, qdd.data()), Status::ok)
      << w.message();
  check(qdd);
#ifdef TENON_EXPERIMENTAL
  for (const LoopMethod method : {LoopMethod::automatic, LoopMethod::projection, LoopMethod::multipliers}) {
    SCOPED_TRACE(static_cast<int>(method));
    ASSERT_EQ(loop_forward_dynamics(w, method, {q.data(), v.data(), tau.data(), wrenches}, qdd.data()),
              Status::ok)
        << w.message();
    check(qdd);
  }
#endif
}

}  // namespace tenon::testing
