#include "tenon/mechanism.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>
#include <string>

#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/status.hpp"

namespace tenon {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Isometry3d to_eigen(const Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Map<const RowMajor>(pose.rotation.data());
  X.translation() = Eigen::Map<const Eigen::Vector3d>(pose.translation.data());
  return X;
}

TEST(Mechanism, RollPitchYawTurnsAboutFixedAxesInThatOrder) {
  const double roll = 0.3, pitch = -0.7, yaw = 2.1;
  const Eigen::Matrix3d expected =
      (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  const Matrix3 R = rotation_from_rpy(roll, pitch, yaw);
  EXPECT_LT(testing::largest(Eigen::Map<const RowMajor>(R.data()) - expected), 1e-15);
}

TEST(Mechanism, PoseProductAndInverseMatchEigen) {
  testing::Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Pose a = random.pose(2), b = random.pose(2);
    EXPECT_LT(testing::largest(to_eigen(a * b).matrix() - (to_eigen(a) * to_eigen(b)).matrix()), 1e-14);
    EXPECT_LT(testing::largest(to_eigen(inverse(a)).matrix() - to_eigen(a).inverse().matrix()), 1e-14);
  }
}

TEST(Mechanism, CountsCoordinatesOfEveryJointType) {
  const struct {
    JointType type;
    int nq, nv;
  } table[] = {{JointType::fixed, 0, 0},     {JointType::revolute, 1, 1},  {JointType::continuous, 1, 1},
               {JointType::prismatic, 1, 1}, {JointType::spherical, 4, 3}, {JointType::planar, 3, 3},
               {JointType::floating, 7, 6},  {JointType::universal, 2, 2}, {JointType::screw, 1, 1}};
  for (const auto& row : table) {
    EXPECT_EQ(position_count(row.type), row.nq);
    EXPECT_EQ(velocity_count(row.type), row.nv);
  }
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  const int codes[] = {0, 1, 2, 3, -1, -2, -3, -4, -5, -10, -11, -12, -13, -14, -20, -30, -40, -50};
  for (const int code : codes) names.insert(status_name(static_cast<Status>(code)));
  EXPECT_EQ(names.size(), sizeof(codes) / sizeof(codes[0]));
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_STREQ(status_name(static_cast<Status>(77)), "unknown");
}

}  // namespace
}  // namespace tenon
