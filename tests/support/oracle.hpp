// What a test compares against: the dense reference in long double, on the tree of the Mechanism itself, so
// that neither the compiler of models nor rounding is shared with what is tested.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/dense_dynamics.hpp"
#include "support/largest.hpp"
#include "support/mechanism_tree.hpp"
#include "support/random_mechanism.hpp"

namespace tenon::testing {

using Real = long double;

// Largest difference of two arrays over the largest entry of either, or over `scale` where that is larger
// (the size of the terms that cancelled in them). Not a number counts as infinitely far.
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
inline double relative_error_of(const RealMatrix& a, const RealMatrix& b, double scale) {
  if (a.size() == 0) return 0;
  if (!a.allFinite() || !b.allFinite()) return HUGE_VAL;
  const Real size = std::max({largest(a), largest(b), static_cast<Real>(scale)});
  return size > 0 ? static_cast<double>(largest(a - b) / size) : 0;
}
template <class A, class B>
double relative_error(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b, double scale = 0) {
  return relative_error_of(a.template cast<Real>(), b.template cast<Real>(), scale);
}

inline Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline Eigen::Map<const Eigen::VectorXd> as_vector(const double* x, int n) {
  return {x, n};
}

class Oracle {
 public:
  explicit Oracle(const Robot& robot)
      : Oracle(testing::tree_of(robot.mechanism, robot.options, *robot.model), robot.options.gravity) {}
  Oracle(reference::Tree tree, const Vector3& gravity);

  void set_state(const std::vector<double>& q, const std::vector<double>& v) {
    dynamics.set_state(q.data(), v.data());
  }
  // [angular; linear at the link origin], link or world axes.
  reference::Vec6<Real> link_velocity(int link, RowAxes axes) const;
  reference::Vec6<Real> link_acceleration(int link, RowAxes axes, const std::vector<double>& a) const;
  reference::Mat6X<Real> link_jacobian(int link, RowAxes axes) const;
  reference::MatX<Real> mass_matrix();
  reference::VecX<Real> bias_force(const double* wrenches);
  reference::VecX<Real> inverse_dynamics(const std::vector<double>& a, const double* wrenches);
  reference::VecX<Real> forward_dynamics(const std::vector<double>& tau, const double* wrenches);

  reference::DenseDynamics<Real> dynamics;

 private:
  template <class Columns>
  Columns along(int link, RowAxes axes, Columns x) const {
    if (axes == RowAxes::world) return x;
    const reference::Mat3<Real> R = dynamics.link_pose(link).R;
    x.template topRows<3>() = (R.transpose() * x.template topRows<3>()).eval();
    x.template bottomRows<3>() = (R.transpose() * x.template bottomRows<3>()).eval();
    return x;
  }
  int body_of(int link) const { return dynamics.tree().links[static_cast<std::size_t>(link)].body; }

  Vector3 gravity_;
};

}  // namespace tenon::testing
