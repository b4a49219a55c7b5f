// The ten inertial parameters of links (include/tenon/parameters.h), for tests.
#pragma once

#include <Eigen/Core>

#include "tenon/dynamics.hpp"

namespace tenon::testing {

using Parameters = Eigen::Matrix<double, 10, 1>;

inline Parameters parameters_of(const LinkInertia& x) {
  const Vector3& c = x.center_of_mass;
  const double m = x.mass, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  Parameters pi;
  pi << m, m * c[0], m * c[1], m * c[2], x.inertia[0] + m * (cc - c[0] * c[0]),
      x.inertia[1] - m * c[0] * c[1], x.inertia[2] - m * c[0] * c[2], x.inertia[3] + m * (cc - c[1] * c[1]),
      x.inertia[4] - m * c[1] * c[2], x.inertia[5] + m * (cc - c[2] * c[2]);
  return pi;
}
inline LinkInertia inertia_of(const Parameters& pi) {
  const double m = pi[0];
  LinkInertia x{m, {pi[1] / m, pi[2] / m, pi[3] / m}, {}};
  const Parameters at_center = parameters_of({m, x.center_of_mass, {}});
  for (std::size_t e = 0; e < 6; ++e) {
    const auto i = static_cast<Eigen::Index>(4 + e);
    x.inertia[e] = pi[i] - at_center[i];
  }
  return x;
}
// Of all links, zero for extra frames.
inline Eigen::VectorXd parameters_of(const Workspace& w) {
  const std::size_t links = w.model().links.size();
  Eigen::VectorXd pi = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(10 * links));
  for (std::size_t l = 0; l < links; ++l)
    if (!w.model().links[l].is_frame)
      pi.segment<10>(static_cast<Eigen::Index>(10 * l)) = parameters_of(link_inertia(w, static_cast<int>(l)));
  return pi;
}

}  // namespace tenon::testing
