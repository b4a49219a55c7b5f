// Constraint rows of a ConstraintSet from the Jacobians of DenseDynamics: J, gamma = Jdot v, right-hand side,
// errors and velocities, row by row in the user's order.
//
//   point, weld:  an axis e (link's or world's) times the angular velocity or that of the frame origin x;
//                 gamma: times the bias angular or the bias classical acceleration
//   custom:       K times the spatial acceleration of the link (link frame): linear part xdd - omega x xd
//   closure:      an axis e of frame 1 times w_1 - w_2 or d/dt (x_1 - x_2) as frame 1 sees it; gamma: its
//                 time derivative at qdd = 0
//   rhs = desired - 2 zeta omega (row velocity) - omega^2 (row error) - gamma        (J. Baumgarte, 1972)
//   error:        e . (x - x_anchor), e . rotation vector of R R_anchor^T; of a closure e . (x_1 - x_2),
//                 e . rotation vector of R_1 R_2^T, for a hinge e . (the rotation from axis 2 to axis 1)
#pragma once

#include "reference/dense_dynamics.hpp"
#include "tenon/constraints.hpp"

namespace tenon::reference {

template <class T>
class DenseRows {
 public:
  DenseRows(const Tree& tree, const std::vector<ConstraintSpec>& specs);

  // Computes all members from the state of the dynamics. desired: per row, null for zero; anchors: per
  // constraint, null for the identity.
  void evaluate(const DenseDynamics<T>& dynamics, const double* desired, const Pose* anchors);

  int count() const { return count_; }
  const VecX<T>& weight() const { return weight_; }
  const VecX<T>& compliance() const { return compliance_; }

  MatX<T> J;     // rows x nv
  MatX<T> size;  // bound of each entry of J without cancellation, for its rounding errors
  VecX<T> gamma, rhs, error, velocity;

 private:
  void evaluate_frame(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec, const Pose& anchor,
                      int& row);
  void evaluate_closure(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec, int& row);
  void evaluate_custom(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec, int& row);

  std::vector<ConstraintSpec> specs_;
  int count_ = 0;
  VecX<T> weight_, compliance_;
  Mat6X<T> frame_J_, second_J_;
};

}  // namespace tenon::reference
