#include "reference/dense_rows.hpp"

#include <cmath>

namespace tenon::reference {
namespace {

int row_count(const ConstraintSpec& spec) {
  if (!spec.custom.empty()) return static_cast<int>(spec.custom.size() / 6);
  int count = 0;
  for (unsigned k = 0; k < 6; ++k) count += static_cast<int>(spec.rows >> k & 1u);
  return count;
}

// Angle times axis of a rotation, from its quaternion; the kernels use other formulas.
template <class T>
Vec3<T> rotation_vector(const Mat3<T>& R) {
  using std::atan2;
  const Eigen::Quaternion<T> q(R);
  const T sine = q.vec().stableNorm(), sign = q.w() < T(0) ? T(-1) : T(1);
  return sine > T(0) ? Vec3<T>(q.vec() * (2 * atan2(sine, sign * q.w()) / (sign * sine))) : Vec3<T>(q.vec());
}

// The rotation from direction a to direction b; about `across` where a = -b. By W. Kahan's formula for the
// angle between two vectors.
template <class T>
Vec3<T> rotation_between(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& across) {
  using std::atan2;
  const T angle = 2 * atan2((a - b).norm(), (a + b).norm());
  const Vec3<T> axis = a.cross(b);
  if (axis.norm() > T(1e-8)) return axis.normalized() * angle;
  return a.dot(b) < T(0) ? Vec3<T>(across * angle) : axis;
}

// A frame that moves with a body, -1: the world.
template <class T>
struct MovingFrame {
  int body;
  WorldPose<T> X;
};
template <class T>
MovingFrame<T> moving_frame(const DenseDynamics<T>& dynamics, int link, const Pose& frame) {
  if (link < 0) return {-1, to_world_pose<T>(frame)};
  return {dynamics.tree().links[static_cast<std::size_t>(link)].body,
          dynamics.link_pose(link) * to_world_pose<T>(frame)};
}

}  // namespace

template <class T>
DenseRows<T>::DenseRows(const Tree& tree, const std::vector<ConstraintSpec>& specs) : specs_(specs) {
  for (const ConstraintSpec& spec : specs_) count_ += row_count(spec);
  weight_.resize(count_);
  compliance_.resize(count_);
  int row = 0;
  for (const ConstraintSpec& spec : specs_) {
    for (int k = 0; k < row_count(spec); ++k, ++row) {
      const std::size_t i = static_cast<std::size_t>(k);
      weight_(row) = spec.weight.empty() ? T(1) : static_cast<T>(spec.weight[i]);
      compliance_(row) = spec.compliance.empty() ? T(0) : static_cast<T>(spec.compliance[i]);
    }
  }
  J.setZero(count_, tree.nv);
  size.setZero(count_, tree.nv);
  for (VecX<T>* x : {&gamma, &rhs, &error, &velocity}) x->setZero(count_);
  frame_J_.resize(6, tree.nv);
  second_J_.resize(6, tree.nv);
}

template <class T>
void DenseRows<T>::evaluate(const DenseDynamics<T>& dynamics, const double* desired, const Pose* anchors) {
  int row = 0;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const int first = row;
    if (specs_[i].closure) {
      evaluate_closure(dynamics, specs_[i], row);
    } else if (specs_[i].custom.empty()) {
      evaluate_frame(dynamics, specs_[i], anchors ? anchors[i] : Pose{}, row);
    } else {
      evaluate_custom(dynamics, specs_[i], row);
    }
    const T omega = static_cast<T>(specs_[i].frequency), zeta = static_cast<T>(specs_[i].damping_ratio);
    for (int r = first; r < row; ++r) {
      const T wanted = desired ? static_cast<T>(desired[r]) : T(0);
      rhs(r) = wanted - 2 * zeta * omega * velocity(r) - omega * omega * error(r) - gamma(r);
    }
  }
}

template <class T>
void DenseRows<T>::evaluate_frame(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec,
                                  const Pose& anchor, int& row) {
  const int body = dynamics.tree().links[static_cast<std::size_t>(spec.link)].body;
  const WorldPose<T> X = dynamics.link_pose(spec.link) * to_world_pose<T>(spec.frame);
  const WorldPose<T> held = to_world_pose<T>(anchor);
  Vec6<T> off = Vec6<T>::Zero();
  if (spec.frequency > 0) off << rotation_vector<T>(X.R * held.R.transpose()), X.p - held.p;
  const Vec6<T> v = dynamics.velocity(body, X.p), bias = dynamics.bias_acceleration(body, X.p);
  dynamics.jacobian(body, X.p, frame_J_);
  for (int k = 0; k < 6; ++k) {
    if (!(spec.rows >> k & 1u)) continue;
    const int part = 3 * (k / 3);
    const Vec3<T> e = spec.axes == RowAxes::world ? Vec3<T>(Vec3<T>::Unit(k % 3)) : Vec3<T>(X.R.col(k % 3));
    gamma(row) = e.dot(bias.template segment<3>(part));
    velocity(row) = e.dot(v.template segment<3>(part));
    error(row) = e.dot(off.template segment<3>(part));
    for (int c = 0; c < J.cols(); ++c) {
      J(row, c) = e.dot(frame_J_.col(c).template segment<3>(part));
      size(row, c) = part == 0 ? frame_J_.col(c).template head<3>().norm() : dynamics.lever(body, X.p, c);
    }
    ++row;
  }
}

// With d = x_1 - x_2 and angular velocities w: seen from frame 1, d changes by d' - w_1 x d and by
// d'' - w_1' x d - 2 w_1 x d' + w_1 x (w_1 x d); w_1 - w_2 by w_1' - w_2' - w_1 x (w_1 - w_2).
template <class T>
void DenseRows<T>::evaluate_closure(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec, int& row) {
  const MovingFrame<T> A = moving_frame(dynamics, spec.link, spec.frame);
  const MovingFrame<T> B = moving_frame(dynamics, spec.second_link, spec.second_frame);
  const auto turned = [](const Vec3<T>& a, const Vec3<T>& b) { return Vec3<T>(a.cross(b)); };
  const Vec6<T> vA = dynamics.velocity(A.body, A.X.p), vB = dynamics.velocity(B.body, B.X.p);
  const Vec6<T> relative = vA - vB,
                bias = dynamics.bias_acceleration(A.body, A.X.p) - dynamics.bias_acceleration(B.body, B.X.p);
  const Vec3<T> d = A.X.p - B.X.p, w = vA.template head<3>(), d_dot = relative.template tail<3>();
  const Vec3<T> w_dot = dynamics.bias_acceleration(A.body, A.X.p).template head<3>();
  Vec6<T> velocity_of, gamma_of, error_of;
  velocity_of << relative.template head<3>(), d_dot - turned(w, d);
  gamma_of << bias.template head<3>() - turned(w, relative.template head<3>()),
      bias.template tail<3>() - turned(w_dot, d) - 2 * turned(w, d_dot) + turned(w, turned(w, d));
  const unsigned held = spec.rows & rows_angular;
  const int hinge = held == 6 ? 0 : held == 5 ? 1 : held == 3 ? 2 : -1;
  error_of << (hinge < 0
                   ? rotation_vector<T>(A.X.R * B.X.R.transpose())
                   : rotation_between<T>(B.X.R.col(hinge), A.X.R.col(hinge), A.X.R.col((hinge + 1) % 3))),
      d;
  dynamics.jacobian(A.body, B.X.p, frame_J_);  // of the point of link 1 that coincides with x_2
  dynamics.jacobian(B.body, B.X.p, second_J_);
  for (int k = 0; k < 6; ++k) {
    if (!(spec.rows >> k & 1u)) continue;
    const int part = 3 * (k / 3);
    const Vec3<T> e = A.X.R.col(k % 3);
    gamma(row) = e.dot(gamma_of.template segment<3>(part));
    velocity(row) = e.dot(velocity_of.template segment<3>(part));
    error(row) = e.dot(error_of.template segment<3>(part));
    for (int c = 0; c < J.cols(); ++c) {
      J(row, c) =
          e.dot(frame_J_.col(c).template segment<3>(part) - second_J_.col(c).template segment<3>(part));
      // Inward of the nearest common ancestor both bodies move alike, and the difference is exactly zero.
      const bool alike = frame_J_.col(c) == second_J_.col(c);
      const T turn = frame_J_.col(c).template head<3>().norm() + second_J_.col(c).template head<3>().norm();
      const T lever = dynamics.lever(A.body, B.X.p, c) + dynamics.lever(B.body, B.X.p, c);
      size(row, c) = alike ? T(0) : part == 0 ? turn : lever;
    }
    ++row;
  }
}

template <class T>
void DenseRows<T>::evaluate_custom(const DenseDynamics<T>& dynamics, const ConstraintSpec& spec, int& row) {
  const int body = dynamics.tree().links[static_cast<std::size_t>(spec.link)].body;
  const WorldPose<T> X = dynamics.link_pose(spec.link);
  const Vec6<T> v = dynamics.velocity(body, X.p);
  Vec6<T> bias = dynamics.bias_acceleration(body, X.p);
  bias.template tail<3>() -= v.template head<3>().cross(v.template tail<3>());  // classical to spatial
  dynamics.jacobian(body, X.p, frame_J_);
  for (std::size_t i = 0; i < spec.custom.size(); i += 6) {
    Vec6<T> K;  // world axes
    for (int k = 0; k < 6; ++k) K(k) = static_cast<T>(spec.custom[i + static_cast<std::size_t>(k)]);
    K << X.R * K.template head<3>(), X.R * K.template tail<3>();
    gamma(row) = K.dot(bias);
    velocity(row) = K.dot(v);
    error(row) = T(0);
    for (int c = 0; c < J.cols(); ++c) {
      J(row, c) = K.dot(frame_J_.col(c));
      size(row, c) = K.template head<3>().norm() * frame_J_.col(c).template head<3>().norm() +
                     K.template tail<3>().norm() * dynamics.lever(body, X.p, c);
    }
    ++row;
  }
}

template class DenseRows<double>;
template class DenseRows<long double>;

}  // namespace tenon::reference
