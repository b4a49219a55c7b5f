#include "tenon/mechanism.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <iterator>

#include "spatial/spatial.hpp"

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

Matrix3 rotation_from_quaternion(const std::array<double, 4>& xyzw) {
  const auto [x, y, z, w] = xyzw;
  const double s = 2 / (x * x + y * y + z * z + w * w);
  return {1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
          s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
          s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y)};
}

std::array<double, 4> quaternion_from_rotation(const Matrix3& R) {
  const Eigen::Quaterniond q(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data()).eval());
  const double sign = q.w() < 0 ? -1 : 1;
  return {sign * q.x(), sign * q.y(), sign * q.z(), sign * q.w()};
}

Pose operator*(const Pose& a, const Pose& b) {
  const Mat3<double> R = load_mat3<double>(a.rotation.data());
  const Vec3<double> p = load_vec3<double>(a.translation.data());
  Pose c;
  store(c.rotation.data(), R * load_mat3<double>(b.rotation.data()));
  store(c.translation.data(), R * load_vec3<double>(b.translation.data()) + p);
  return c;
}

Pose inverse(const Pose& a) {
  const Mat3<double> R = transpose(load_mat3<double>(a.rotation.data()));
  Pose c;
  store(c.rotation.data(), R);
  store(c.translation.data(), -(R * load_vec3<double>(a.translation.data())));
  return c;
}

namespace {

struct TypeFacts {
  const char* name;
  int positions, velocities;
  bool has_axis;
  std::uint32_t held;  // rows, with its axis along z; 0: it closes no loop
};
constexpr TypeFacts types[] = {{"fixed", 0, 0, false, 0x3f},     {"revolute", 1, 1, true, 0x3b},
                               {"continuous", 1, 1, true, 0x3b}, {"prismatic", 1, 1, true, 0x1f},
                               {"spherical", 4, 3, false, 0x38}, {"planar", 3, 3, true, 0x23},
                               {"floating", 7, 6, false, 0},     {"universal", 2, 2, true, 0},
                               {"screw", 1, 1, true, 0},         {"unknown", 0, 0, false, 0}};

const TypeFacts& facts_of(JointType type) {
  return types[is_known(type) ? static_cast<std::size_t>(type) : std::size(types) - 1];
}

}  // namespace

bool is_known(JointType type) {
  return type >= JointType::fixed && static_cast<std::size_t>(type) < std::size(types) - 1;
}

const char* type_name(JointType type) {
  return facts_of(type).name;
}
int position_count(JointType type) {
  return facts_of(type).positions;
}
int velocity_count(JointType type) {
  return facts_of(type).velocities;
}
bool has_axis(JointType type) {
  return facts_of(type).has_axis;
}
std::uint32_t held_rows(JointType type) {
  return facts_of(type).held;
}

}  // namespace tenon
