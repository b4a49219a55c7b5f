// Rotation matrices and unit quaternions, for work that is not time-critical.
//
// The quaternion of a rotation by the method of S. W. Shepperd, Quaternion from rotation matrix, J. Guidance
// and Control 1(3), 1978: trace and diagonal give the squares 4 x^2, 4 y^2, 4 z^2, 4 w^2; the root of the
// largest is the divisor, so that no digits are lost.
#include <cmath>

#include "tenon/mechanism.hpp"

namespace tenon {

Matrix3 rotation_from_quaternion(const std::array<double, 4>& xyzw) {
  const auto [x, y, z, w] = xyzw;
  const double s = 2 / (x * x + y * y + z * z + w * w);
  return {1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
          s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
          s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y)};
}

std::array<double, 4> quaternion_from_rotation(const Matrix3& R) {
  const double trace = R[0] + R[4] + R[8];
  const std::array<double, 4> squares = {2 * R[0] - trace, 2 * R[4] - trace, 2 * R[8] - trace, trace};
  std::size_t largest = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    if (squares[i] > squares[largest]) largest = i;
  }
  const double root = std::sqrt(1 + squares[largest]);  // twice the largest component
  const double s = 0.5 / root;
  std::array<double, 4> q;
  q[largest] = 0.5 * root;
  if (largest == 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      q[i] = s * (R[3 * k + j] - R[3 * j + k]);
    }
  } else {
    const std::size_t i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    q[j] = s * (R[3 * i + j] + R[3 * j + i]);
    q[k] = s * (R[3 * i + k] + R[3 * k + i]);
    q[3] = s * (R[3 * k + j] - R[3 * j + k]);
  }
  if (q[3] < 0) {
    for (double& component : q) component = -component;
  }
  return q;
}

}  // namespace tenon
