#include "support/campaign/motion_judge.hpp"

#include <cmath>

#include "support/largest.hpp"

namespace tenon::testing {
MotionJudge::MotionJudge(const Robot& robot, const ConstraintSet& set)
    : set_(set),
      tree_(tree_of(robot.mechanism, robot.options, *robot.model)),
      gravity_(robot.options.gravity),
      dynamics_(tree_),
      rows_(tree_, set.specs()),
      M_(tree_.nv, tree_.nv),
      c_(tree_.nv),
      residual_(tree_.nv),
      own_(tree_.nv),
      levers_(tree_.nv) {}

MotionError MotionJudge::judge(const MotionState& s, const double* qdd, const double* lambda) {
  dynamics_.set_state(s.q.data(), s.v.data());
  dynamics_.mass_matrix(M_);
  dynamics_.bias_force(gravity_, nullptr, c_);
  rows_.evaluate(dynamics_, s.desired.data(), nullptr);
  MotionError error;
  const int m = rows_.count();
  std::vector<bool> held(static_cast<std::size_t>(m));
  for (int i = 0; i < set_.constraint_count(); ++i)
    for (int r = set_.first_row(i), k = row_count(set_.specs()[static_cast<std::size_t>(i)]); k > 0; ++r, --k)
      held[static_cast<std::size_t>(r)] = s.active[static_cast<std::size_t>(i)];
  for (int r = 0; r < m; ++r)
    if (!held[static_cast<std::size_t>(r)] && !(lambda[r] == 0)) error.motion = HUGE_VAL;
  Real largest = 0, reach = 0;
  for (int link = 0; link < static_cast<int>(tree_.links.size()); ++link)
    reach = larger(reach, dynamics_.link_pose(link).p.norm());
  for (int k = 0; k < tree_.nv; ++k) {
    const Real tau = s.tau[static_cast<std::size_t>(k)];
    Real pushed = 0;
    residual_(k) = c_(k) - tau, own_(k) = std::abs(c_(k)) + std::abs(tau), levers_(k) = 0;
    for (int j = 0; j < tree_.nv; ++j) {
      residual_(k) += M_(k, j) * qdd[j];
      own_(k) += std::abs(M_(k, j) * qdd[j]);
    }
    for (int r = 0; r < m; ++r) {
      if (!held[static_cast<std::size_t>(r)]) continue;
      pushed += rows_.J(r, k) * lambda[r];
      levers_(k) += (rows_.size(r, k) + Real(1e-3) * reach) * std::abs(static_cast<Real>(lambda[r]));
    }
    residual_(k) -= pushed, own_(k) += std::abs(pushed);
    largest = larger(largest, (own_(k) + levers_(k)) / std::sqrt(M_(k, k)));
  }
  // Where weights or velocity products cancel, a robot at rest has no terms but their rounding errors. Weights of all bodies
  // along the motion of a coordinate are at most this, and velocity products about the second.
  Real mass = 0, twice_energy = 0;
  for (const reference::Body& body : tree_.bodies) mass += body.mass;
  for (int k = 0; k < tree_.nv; ++k) {
    const Real v = s.v[static_cast<std::size_t>(k)];
    twice_energy += M_(k, k) * v * v;
  }
  const Real root = std::sqrt(mass);
  largest = larger(largest, root * std::hypot(gravity_[0], gravity_[1], gravity_[2]));
  if (root * reach > 0) largest = larger(largest, twice_energy / (root * reach));
  // Rows that contradict may leave a robot at rest that each of them would move.
  for (int r = 0; r < m; ++r) {
    Real square = 0;
    for (int k = 0; k < tree_.nv; ++k) square += rows_.J(r, k) * rows_.J(r, k) / M_(k, k);
    if (held[static_cast<std::size_t>(r)] && square > 0)
      largest = larger(largest, std::abs(rows_.rhs(r)) / std::sqrt(square));
  }
  for (int k = 0; k < tree_.nv; ++k) {
    if (residual_(k) == 0) continue;
    const Real size = own_(k) + Real(1e-4) * levers_(k) + Real(1e-6) * std::sqrt(M_(k, k)) * largest;
    const double mine = static_cast<double>(std::abs(residual_(k)) / size);
    if (mine <= error.motion) continue;
    error.motion = mine < HUGE_VAL ? mine : HUGE_VAL;  // what is no number too
    error.coordinate = k;
  }
  return error;
}

}  // namespace tenon::testing
