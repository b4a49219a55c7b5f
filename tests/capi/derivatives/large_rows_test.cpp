// Matrices of constrained dynamics of which one number makes some overflow, where all others are ordinary: they are refused,
// and nothing is written, also where they would go to the user's memory at once.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../support.hpp"

using namespace tenon_test;

namespace {

constexpr double untouched = -7.25e77;

// An arm on a slide, by one hinge, or about two axes through one point. One row holds the slide, and nothing else: its
// derivatives by the angles are what a number can make large.
struct Arm {
  const char* slides = "0 1 0";
  double mass = 1, height = 0, inertia = 1;  // height: of the centre of mass, along y
  bool two_hinges = false;
  std::uint32_t row = 1u << 4;
  int32_t axes = TENON_AXES_WORLD;
  double place[3] = {0, 1, 0}, anchor[3] = {0, 1, 0};  // of the frame held
  bool closure = false;                                // with the world, at the anchor
  double lever = 0;                                    // of a row of its own, along z, about x
  double tau[2] = {1, 0};                              // of the slide and the first hinge
  double frequency = 0;
};

std::string urdf(const Arm& arm) {
  constexpr const char* link =
      "<link name='%s'><inertial><origin xyz='0 %.17g 0'/><mass value='%.17g'/><inertia ixx='%.17g' "
      "iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  constexpr const char* joint =
      "<joint name='to_%s' type='%s'><axis xyz='%s'/><parent link='%s'/><child link='%s'/>"
      "<limit effort='1' velocity='1' lower='-1' upper='1'/></joint>";
  std::string text = "<robot name='arm'><link name='base'/>";
  char line[600];
  const auto add_link = [&](const char* name, double mass, double height, double inertia) {
    std::snprintf(line, sizeof line, link, name, height, mass, inertia, inertia, inertia), text += line;
  };
  const auto add_joint = [&](const char* type, const char* axis, const char* parent, const char* child) {
    std::snprintf(line, sizeof line, joint, child, type, axis, parent, child), text += line;
  };
  add_link("slide", 1, 0, 1), add_link("arm", arm.mass, arm.height, arm.inertia);
  add_joint("prismatic", arm.slides, "base", "slide");
  if (arm.two_hinges) add_link("fork", 1, 0, 1), add_joint("continuous", "0 0 1", "slide", "fork");
  add_joint("continuous", arm.two_hinges ? "0 1 0" : "0 0 1", arm.two_hinges ? "fork" : "slide", "arm");
  return text + "</robot>";
}

// Accelerations are numbers in any case. Whether their matrices are, and then written.
bool has_matrices(const Arm& arm) {
  Model model;
  EXPECT_EQ(parse(urdf(arm), &model).status, TENON_OK);
  const Constraints set = constraints(model);
  const double frame[7] = {arm.place[0], arm.place[1], arm.place[2], 0, 0, 0, 1},
               held_at[7] = {arm.anchor[0], arm.anchor[1], arm.anchor[2], 0, 0, 0, 1},
               near[7] = {0, 1, 0, 0, 0, 0, 1}, K[6] = {arm.lever, 0, 0, 0, 0, 1};
  const auto options =
      options_of(tenon_constraint_options_init, [&](auto& o) { o.rows = arm.row, o.axes = arm.axes; });
  const int32_t on = link(model, "arm");
  if (arm.closure)
    EXPECT_EQ(tenon_constraints_add_closure(set.get(), on, frame, 7, TENON_WORLD, held_at, 7, options,
                                            nullptr, nullptr, 0),
              TENON_OK);
  else if (arm.lever > 0)
    EXPECT_EQ(tenon_constraints_add_rows(set.get(), on, 1, K, 6, 1, nullptr, nullptr, nullptr, 0), TENON_OK);
  else
    EXPECT_EQ(tenon_constraints_add_weld(set.get(), on, near, 7, options, nullptr, nullptr, 0), TENON_OK);
  EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
  const Workspace w = workspace(model, set);
  if (!arm.closure && arm.lever == 0) {
    EXPECT_EQ(tenon_workspace_set_frame(w.get(), 0, frame, 7), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_anchor(w.get(), 0, held_at, 7), TENON_OK);
  }
  EXPECT_EQ(tenon_workspace_set_gains(w.get(), 0, arm.frequency, 0), TENON_OK);
  const std::size_t n = static_cast<std::size_t>(tenon_model_nv(model.get()));
  const int32_t ld = static_cast<int32_t>(n);
  std::vector<double> q(n), v(n), tau(n), qdd(n), lambda(1);
  tau[0] = arm.tau[0], tau[1] = arm.tau[1];
  EXPECT_EQ(tenon_constrained_dynamics(w.get(), nullptr, q.data(), n, v.data(), n, tau.data(), n, nullptr, 0,
                                       nullptr, 0, qdd.data(), n, lambda.data(), 1),
            TENON_OK)
      << tenon_workspace_message(w.get());
  EXPECT_TRUE(std::isfinite(largest(qdd)) && std::isfinite(lambda[0]));
  // The second time all memory is there.
  for (int time = 0; time < 2; ++time) {
    std::vector<double> by_q(n * n, untouched), by_v = by_q;
    const tenon_status status = tenon_constrained_dynamics_derivatives(
        w.get(), nullptr, q.data(), n, v.data(), n, tau.data(), n, nullptr, 0, nullptr, 0, nullptr, 0,
        nullptr, 0, by_q.data(), n * n, ld, by_v.data(), n * n, ld, nullptr, 0, 0, nullptr, 0, 0);
    const auto kept =
        std::count(by_q.begin(), by_q.end(), untouched) + std::count(by_v.begin(), by_v.end(), untouched);
    if (status == TENON_OK) {
      EXPECT_EQ(kept, 0);
      EXPECT_TRUE(std::isfinite(largest(by_q)) && std::isfinite(largest(by_v)));
    } else {
      EXPECT_EQ(status, TENON_NOT_FINITE);
      EXPECT_EQ(kept, static_cast<ptrdiff_t>(2 * n * n));
    }
    if (status != TENON_OK || time == 1) return status == TENON_OK;
  }
  return false;
}

// A force of the row on a light arm.
TEST(LargeRows, ByForces) {
  Arm arm;
  arm.inertia = 1e-9, arm.tau[0] = 1e30;
  EXPECT_TRUE(has_matrices(arm));
  arm.tau[0] = std::ldexp(1, 1000);
  EXPECT_FALSE(has_matrices(arm));
}

// An acceleration of the arm, whose centre of mass it would move along the slide after a turn.
TEST(LargeRows, ByAccelerations) {
  Arm arm;
  arm.mass = 1e12, arm.height = 1e-6, arm.tau[0] = 0, arm.tau[1] = 1e30;
  EXPECT_TRUE(has_matrices(arm));
  arm.tau[1] = 1e305;
  EXPECT_FALSE(has_matrices(arm));
}

TEST(LargeRows, ByGains) {
  Arm arm;
  arm.place[0] = 1e10, arm.anchor[0] = 1e10, arm.frequency = 1e20;
  EXPECT_TRUE(has_matrices(arm));
  arm.frequency = 1e150;
  EXPECT_FALSE(has_matrices(arm));
}

// A far lever of the row, which no joint has before the second hinge turns.
TEST(LargeRows, ByLevers) {
  Arm arm;
  arm.slides = "0 0 1", arm.two_hinges = true, arm.tau[0] = 1e25;
  for (const double far : {10.0, 1e290}) {
    arm.lever = far;
    EXPECT_EQ(has_matrices(arm), far == 10);
  }
}

// A far point along the row, which is no lever before the hinge turns; of a closure that of the second frame.
TEST(LargeRows, ByPoints) {
  Arm arm;
  for (const bool closure : {false, true})
    for (const double far : {1e20, 1e290}) {
      SCOPED_TRACE(testing::Message() << closure << " " << far);
      arm.closure = closure, arm.axes = closure ? TENON_AXES_LINK : TENON_AXES_WORLD;
      (closure ? arm.anchor : arm.place)[1] = far, arm.tau[0] = 1e25;
      arm.place[1] = closure ? 1 : far;
      EXPECT_EQ(has_matrices(arm), far == 1e20);
    }
}

// An anchor that is far across the row, along which it comes to be when the arm turns.
TEST(LargeRows, ByAnchors) {
  Arm arm;
  arm.axes = TENON_AXES_LINK, arm.frequency = 1e10;
  for (const double far : {1e20, 1e300}) {
    arm.anchor[0] = far;
    EXPECT_EQ(has_matrices(arm), far == 1e20);
  }
}

}  // namespace
