// States of other libraries: what their coordinates mean is worked out here from the poses of the joints
// alone, by finite differences.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "support.hpp"

namespace tenon_test {
namespace {

const char* robot = R"(<robot name="r">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="d"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="e"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="free" type="floating"><parent link="base"/><child link="a"/></joint>
  <joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint>
  <joint name="plane" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
  <joint name="wheel" type="continuous"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="d"/><child link="e"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

using Vector = std::vector<double>;
using Rotation = std::array<double, 9>;  // row by row

// The order of joints in the other library, and where each begins in its q and v (free, ball, plane, wheel,
// slide).
constexpr std::array<std::int32_t, 5> order = {3, 2, 4, 0, 1};
struct Begin {
  std::size_t free, ball, plane, wheel, slide;
};
Begin begin_v() {
  return {5, 11, 1, 0, 4};
}
Begin begin_q(std::int32_t convention) {
  if (convention == TENON_CONVENTION_PINOCCHIO) return {7, 14, 2, 0, 6};
  return {5, 12, 1, 0, 4};
}

Rotation multiply(const Rotation& a, const Rotation& b, bool transpose_a) {
  Rotation out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        out[3 * i + j] += (transpose_a ? a[3 * k + i] : a[3 * i + k]) * b[3 * k + j];
  return out;
}
Rotation from_quaternion(double x, double y, double z, double w) {
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}
Rotation about(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  if (axis == 0) return {1, 0, 0, 0, c, -s, 0, s, c};
  if (axis == 1) return {c, 0, s, 0, 1, 0, -s, 0, c};
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}

// The orientation of the ball joint, and the pose of the free one, as the other library's q says.
Rotation ball(const Vector& q, std::int32_t convention) {
  const double* x = q.data() + begin_q(convention).ball;
  if (convention == TENON_CONVENTION_PINOCCHIO) return from_quaternion(x[0], x[1], x[2], x[3]);
  if (convention == TENON_CONVENTION_MUJOCO) return from_quaternion(x[1], x[2], x[3], x[0]);
  return multiply(multiply(about(2, x[2]), about(1, x[1]), false), about(0, x[0]), false);
}
Rotation free_rotation(const Vector& q, std::int32_t convention) {
  const double* x = q.data() + begin_q(convention).free;
  if (convention == TENON_CONVENTION_PINOCCHIO) return from_quaternion(x[3], x[4], x[5], x[6]);
  if (convention == TENON_CONVENTION_MUJOCO) return from_quaternion(x[4], x[5], x[6], x[3]);
  return from_quaternion(x[1], x[2], x[3], x[0]);
}
const double* free_position(const Vector& q, std::int32_t convention) {
  return q.data() + begin_q(convention).free + (convention == TENON_CONVENTION_DRAKE ? 4 : 0);
}

class Conventions : public ::testing::TestWithParam<std::int32_t> {
 protected:
  Conventions() {
    EXPECT_EQ(parse(robot, &model).status, TENON_OK);
    w = workspace(model);
    State state(model, w.get(), 7);
    q = state.q;
    for (std::size_t k = 0; k < state.v.size(); ++k) {
      v.push_back(std::sin(1.0 + static_cast<double>(k)));
      a.push_back(std::cos(3.0 * static_cast<double>(k)));
    }
  }

  Vector other_q(const Vector& from) {
    Vector out(static_cast<std::size_t>(tenon_convention_nq(model.get(), GetParam())), 77.0);
    EXPECT_EQ(tenon_convert_configuration(w.get(), GetParam(), TENON_DIRECTION_TO_OTHER, order.data(),
                                          order.size(), from.data(), from.size(), out.data(), out.size()),
              TENON_OK)
        << tenon_workspace_message(w.get());
    return out;
  }
  Vector other_v(const Vector& at, const Vector& from) {
    Vector out(v.size(), 77.0);
    EXPECT_EQ(
        tenon_convert_velocity(w.get(), GetParam(), TENON_DIRECTION_TO_OTHER, order.data(), order.size(),
                               at.data(), at.size(), from.data(), from.size(), out.data(), out.size()),
        TENON_OK)
        << tenon_workspace_message(w.get());
    return out;
  }
  // The state a little later or earlier, to second order in time.
  Vector moved(double dt) {
    Vector mean = v, next(q.size());
    for (std::size_t k = 0; k < v.size(); ++k) mean[k] += 0.5 * dt * a[k];
    EXPECT_EQ(
        tenon_integrate(w.get(), q.data(), q.size(), mean.data(), mean.size(), dt, next.data(), next.size()),
        TENON_OK);
    return next;
  }

  Model model;
  Workspace w;
  Vector q, v, a;
};

void expect_near(const double* x, std::array<double, 3> expected, const char* what) {
  for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(x[e], expected[e], 1e-7) << what << " " << e;
}

// Angular velocity from two orientations 2 h apart: the skew part of R-^T R+ is in F', of R+ R-^T in F.
std::array<double, 3> rate(const Rotation& before, const Rotation& after, double h, bool in_child) {
  Rotation turn = multiply(before, after, true);
  if (!in_child) {
    Rotation transposed{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) transposed[3 * i + j] = before[3 * j + i];
    turn = multiply(after, transposed, false);
  }
  return {(turn[7] - turn[5]) / (4 * h), (turn[2] - turn[6]) / (4 * h), (turn[3] - turn[1]) / (4 * h)};
}
std::array<double, 3> linear_rate(const double* before, const double* after, const Rotation& R, double h,
                                  bool in_child) {
  std::array<double, 3> p{}, out{};
  for (std::size_t e = 0; e < 3; ++e) p[e] = (after[e] - before[e]) / (2 * h);
  if (!in_child) return p;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += R[3 * k + i] * p[k];
  return out;
}

TEST_P(Conventions, VelocitiesAreThoseOfTheirConfigurations) {
  const double h = 1e-5;
  const std::int32_t convention = GetParam();
  const Vector before = other_q(moved(-h)), after = other_q(moved(h)), here = other_q(q),
               rates = other_v(q, v);
  const Begin at = begin_v(), at_q = begin_q(convention);
  const bool pinocchio = convention == TENON_CONVENTION_PINOCCHIO,
             drake = convention == TENON_CONVENTION_DRAKE;
  expect_near(rates.data() + at.free + (drake ? 0 : 3),
              rate(free_rotation(before, convention), free_rotation(after, convention), h, !drake),
              "free, angular");
  expect_near(rates.data() + at.free + (drake ? 3 : 0),
              linear_rate(free_position(before, convention), free_position(after, convention),
                          free_rotation(here, convention), h, pinocchio),
              "free, linear");
  expect_near(rates.data() + at.ball, rate(ball(before, convention), ball(after, convention), h, !drake),
              "ball");
  const auto angle = [&](const Vector& x) {
    return pinocchio ? std::atan2(x[at_q.plane + 3], x[at_q.plane + 2]) : x[at_q.plane + 2];
  };
  EXPECT_NEAR(rates[at.plane + 2], (angle(after) - angle(before)) / (2 * h), 1e-7);
  const std::array<double, 3> plane_before = {before[at_q.plane], before[at_q.plane + 1], 0},
                              plane_after = {after[at_q.plane], after[at_q.plane + 1], 0};
  const std::array<double, 3> slip =
      linear_rate(plane_before.data(), plane_after.data(), about(2, angle(here)), h, pinocchio);
  EXPECT_NEAR(rates[at.plane], slip[0], 1e-7);
  EXPECT_NEAR(rates[at.plane + 1], slip[1], 1e-7);
  const auto wheel = [&](const Vector& x) {
    return pinocchio ? std::atan2(x[at_q.wheel + 1], x[at_q.wheel]) : x[at_q.wheel];
  };
  EXPECT_NEAR(rates[at.wheel], (wheel(after) - wheel(before)) / (2 * h), 1e-7);
  EXPECT_NEAR(rates[at.slide], (after[at_q.slide] - before[at_q.slide]) / (2 * h), 1e-7);
}

TEST_P(Conventions, AccelerationsAreDerivativesOfVelocities) {
  const double h = 1e-5;
  Vector faster = v, slower = v, out(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) faster[k] += h * a[k], slower[k] -= h * a[k];
  const Vector after = other_v(moved(h), faster), before = other_v(moved(-h), slower);
  ASSERT_EQ(tenon_convert_acceleration(w.get(), GetParam(), TENON_DIRECTION_TO_OTHER, order.data(),
                                       order.size(), q.data(), q.size(), v.data(), v.size(), a.data(),
                                       a.size(), out.data(), out.size()),
            TENON_OK)
      << tenon_workspace_message(w.get());
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(out[k], (after[k] - before[k]) / (2 * h), 1e-7) << k;
  Vector back(v.size());
  ASSERT_EQ(tenon_convert_acceleration(w.get(), GetParam(), TENON_DIRECTION_FROM_OTHER, order.data(),
                                       order.size(), q.data(), q.size(), v.data(), v.size(), out.data(),
                                       out.size(), back.data(), back.size()),
            TENON_OK);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(back[k], a[k], 1e-14) << k;
}

TEST_P(Conventions, ForcesDoTheSamePower) {
  Vector force(v.size()), back(v.size());
  ASSERT_EQ(tenon_convert_force(w.get(), GetParam(), TENON_DIRECTION_TO_OTHER, order.data(), order.size(),
                                q.data(), q.size(), a.data(), a.size(), force.data(), force.size()),
            TENON_OK);
  const Vector rates = other_v(q, v);
  EXPECT_NEAR(std::inner_product(force.begin(), force.end(), rates.begin(), 0.0),
              std::inner_product(a.begin(), a.end(), v.begin(), 0.0), 1e-13);
  ASSERT_EQ(tenon_convert_force(w.get(), GetParam(), TENON_DIRECTION_FROM_OTHER, order.data(), order.size(),
                                q.data(), q.size(), force.data(), force.size(), back.data(), back.size()),
            TENON_OK);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(back[k], a[k], 1e-14) << k;
}

TEST_P(Conventions, ComeBackTheSame) {
  const Vector other = other_q(q), rates = other_v(q, v);
  Vector back(q.size()), back_v(v.size()), apart(v.size());
  ASSERT_EQ(tenon_convert_configuration(w.get(), GetParam(), TENON_DIRECTION_FROM_OTHER, order.data(),
                                        order.size(), other.data(), other.size(), back.data(), back.size()),
            TENON_OK);
  ASSERT_EQ(
      tenon_difference(w.get(), q.data(), q.size(), back.data(), back.size(), apart.data(), apart.size()),
      TENON_OK);
  for (const double x : apart) EXPECT_NEAR(x, 0, 1e-14);
  ASSERT_EQ(
      tenon_convert_velocity(w.get(), GetParam(), TENON_DIRECTION_FROM_OTHER, order.data(), order.size(),
                             q.data(), q.size(), rates.data(), rates.size(), back_v.data(), back_v.size()),
      TENON_OK);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(back_v[k], v[k], 1e-14) << k;
}

TEST_P(Conventions, RefuseWhatTheyCannotRead) {
  Vector out(static_cast<std::size_t>(tenon_convention_nq(model.get(), GetParam())));
  const auto refused = [&](std::int32_t convention, std::int32_t direction, const std::int32_t* joints,
                           std::size_t joint_count, std::size_t out_count, const char* part) {
    const tenon_status status = tenon_convert_configuration(
        w.get(), convention, direction, joints, joint_count, q.data(), q.size(), out.data(), out_count);
    EXPECT_LT(status, 0);
    EXPECT_NE(std::string(tenon_workspace_message(w.get())).find(part), std::string::npos)
        << tenon_workspace_message(w.get()) << "\nlacks " << part;
    return status;
  };
  std::array<std::int32_t, 5> bad = order;
  EXPECT_EQ(refused(9, TENON_DIRECTION_TO_OTHER, order.data(), 5, out.size(), "convention is 9"),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(refused(GetParam(), 2, order.data(), 5, out.size(), "direction is 2"), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(refused(GetParam(), TENON_DIRECTION_TO_OTHER, order.data(), 4, out.size(), "joint_count"),
            TENON_WRONG_SIZE);
  EXPECT_EQ(refused(GetParam(), TENON_DIRECTION_TO_OTHER, order.data(), 5, out.size() + 1, "out"),
            TENON_WRONG_SIZE);
  bad[4] = 5;
  EXPECT_EQ(refused(GetParam(), TENON_DIRECTION_TO_OTHER, bad.data(), 5, out.size(), "joints[4] is 5"),
            TENON_OUT_OF_RANGE);
  bad[4] = 3;
  EXPECT_EQ(refused(GetParam(), TENON_DIRECTION_TO_OTHER, bad.data(), 5, out.size(), "'wheel'"),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_convention_nq(model.get(), tenon_constant_count(TENON_CONSTANT_CONVENTION)),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_convention_nq(nullptr, GetParam()), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(other_q(q).size(), out.size());
}

INSTANTIATE_TEST_SUITE_P(Libraries, Conventions,
                         ::testing::Values(TENON_CONVENTION_PINOCCHIO, TENON_CONVENTION_MUJOCO,
                                           TENON_CONVENTION_DRAKE),
                         [](const auto& library) {
                           return std::string(library.param == TENON_CONVENTION_PINOCCHIO ? "Pinocchio"
                                              : library.param == TENON_CONVENTION_MUJOCO  ? "MuJoCo"
                                                                                          : "Drake");
                         });

}  // namespace
}  // namespace tenon_test
