#include "support/oracle.hpp"

#include <utility>

namespace tenon::testing {

using reference::Mat6X;
using reference::MatX;
using reference::Vec6;
using reference::VecX;

Oracle::Oracle(reference::Tree tree, const Vector3& gravity) : dynamics(std::move(tree)), gravity_(gravity) {}

Vec6<Real> Oracle::link_velocity(int link, RowAxes axes) const {
  return along(link, axes, dynamics.velocity(body_of(link), dynamics.link_pose(link).p));
}

Vec6<Real> Oracle::link_acceleration(int link, RowAxes axes, const std::vector<double>& a) const {
  const Vec6<Real> x = dynamics.bias_acceleration(body_of(link), dynamics.link_pose(link).p) +
                       link_jacobian(link, RowAxes::world) * as_vector(a).cast<Real>();
  return along(link, axes, x);
}

Mat6X<Real> Oracle::link_jacobian(int link, RowAxes axes) const {
  Mat6X<Real> J(6, dynamics.tree().nv);
  dynamics.jacobian(body_of(link), dynamics.link_pose(link).p, J);
  return along(link, axes, J);
}

MatX<Real> Oracle::mass_matrix() {
  MatX<Real> M(dynamics.tree().nv, dynamics.tree().nv);
  dynamics.mass_matrix(M);
  return M;
}

VecX<Real> Oracle::bias_force(const double* wrenches) {
  VecX<Real> c(dynamics.tree().nv);
  dynamics.bias_force(gravity_, wrenches, c);
  return c;
}

VecX<Real> Oracle::inverse_dynamics(const std::vector<double>& a, const double* wrenches) {
  return mass_matrix() * as_vector(a).cast<Real>() + bias_force(wrenches);
}

VecX<Real> Oracle::forward_dynamics(const std::vector<double>& tau, const double* wrenches) {
  MatX<Real> L = mass_matrix();
  VecX<Real> x = as_vector(tau).cast<Real>() - bias_force(wrenches);
  reference::cholesky<Real>(L);
  reference::solve_lower<Real>(L, x);
  reference::solve_lower_transposed<Real>(L, x);
  return x;
}

}  // namespace tenon::testing
