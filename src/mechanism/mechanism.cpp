#include "tenon/mechanism.hpp"

#include <cmath>

namespace tenon {

Matrix3 rotation_from_rpy(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll);
  const double cp = std::cos(pitch), sp = std::sin(pitch);
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  return {cy * cp,
          cy * sp * sr - sy * cr,
          cy * sp * cr + sy * sr,
          sy * cp,
          sy * sp * sr + cy * cr,
          sy * sp * cr - cy * sr,
          -sp,
          cp * sr,
          cp * cr};
}

Pose operator*(const Pose& a, const Pose& b) {
  const Matrix3 &A = a.rotation, &B = b.rotation;
  Pose c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      c.rotation[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
    c.translation[i] = A[3 * i] * b.translation[0] + A[3 * i + 1] * b.translation[1] +
                       A[3 * i + 2] * b.translation[2] + a.translation[i];
  }
  return c;
}

Pose inverse(const Pose& a) {
  const Matrix3& A = a.rotation;
  Pose c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c.rotation[3 * i + j] = A[3 * j + i];
    c.translation[i] = -(A[i] * a.translation[0] + A[3 + i] * a.translation[1] + A[6 + i] * a.translation[2]);
  }
  return c;
}

int position_count(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
    case JointType::continuous:
    case JointType::prismatic:
      return 1;
    case JointType::universal:
      return 2;
    case JointType::planar:
      return 3;
    case JointType::spherical:
      return 4;
    case JointType::floating:
      return 7;
  }
  return 0;
}

int velocity_count(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
    case JointType::continuous:
    case JointType::prismatic:
      return 1;
    case JointType::universal:
      return 2;
    case JointType::spherical:
    case JointType::planar:
      return 3;
    case JointType::floating:
      return 6;
  }
  return 0;
}

}  // namespace tenon
