// The models with kinematic loops through tenon.h: they close, and simulated for a while they stay closed and
// keep their energy. Tello gets its differentials by functions. So do robots that `tenon generate` writes.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "../../capi/cli/generator.hpp"
#include "../../capi/examples/c/tello.h"
#include "support.hpp"

using namespace tenon_test;

namespace {

struct Case {
  const char* name;
  int32_t base;
  int32_t nv, ny, clusters;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

Model tello() {
  tenon_model_options options;
  EXPECT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.base = TENON_BASE_FLOATING;
  char message[1024] = "?";
  tenon_builder* made = nullptr;
  EXPECT_EQ(tenon_builder_load_urdf(model_path("tello").c_str(), nullptr, &made, message, sizeof message),
            TENON_OK)
      << message;
  Builder builder(made);
  EXPECT_EQ(tello_add_differentials(made, message, sizeof message), TENON_OK) << message;
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_builder_finish(made, &options, &model, message, sizeof message), TENON_OK) << message;
  return Model(model);
}

Model load_case(const Case& c) {
  return std::string(c.name) == "tello" ? tello() : load(c.name, c.base);
}

size_t position_of(const Model& model, const char* joint) {
  int32_t index = -1;
  tenon_joint_info info;
  EXPECT_EQ(tenon_model_find_joint(model.get(), joint, &index, nullptr, 0), TENON_OK) << joint;
  EXPECT_EQ(tenon_joint_info_init(&info, sizeof info), TENON_OK);
  EXPECT_EQ(tenon_model_joint_info(model.get(), index, &info), TENON_OK);
  return static_cast<size_t>(info.q_index);
}

double energy(const Workspace& w, const std::vector<double>& q, const std::vector<double>& v,
              double* kinetic) {
  double potential = 0;
  EXPECT_EQ(tenon_kinematics(w.get(), q.data(), q.size(), v.data(), v.size(), nullptr, 0), TENON_OK);
  EXPECT_EQ(tenon_energy(w.get(), kinetic, &potential), TENON_OK);
  return *kinetic + potential;
}

class LoopModels : public testing::TestWithParam<Case> {};

// Simulates for 0.15 s from a state a little off the closed configuration at zero, so that nothing stands in
// a dead centre.
void expect_closed_and_conservative(const Model& model) {
  const Workspace w = workspace(model, nullptr);
  std::vector<double> q(static_cast<size_t>(tenon_model_nq(model.get())));
  std::vector<double> v(static_cast<size_t>(tenon_model_nv(model.get())), 0.0), tau(v.size(), 0.0);
  ASSERT_EQ(tenon_neutral(w.get(), q.data(), q.size()), TENON_OK);
  ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q.data(), q.size(), nullptr),
            TENON_OK);
  std::vector<double> push(v.size());
  for (size_t i = 0; i < push.size(); ++i) push[i] = 0.3 + 0.01 * static_cast<double>(i % 7);
  ASSERT_EQ(tenon_integrate(w.get(), q.data(), q.size(), push.data(), push.size(), 1, q.data(), q.size()),
            TENON_OK);
  ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_ALL), q.data(), q.size(), nullptr),
            TENON_OK)
      << tenon_workspace_message(w.get());
  std::copy(push.begin(), push.end(), v.begin());
  ASSERT_EQ(tenon_close_loop_velocities(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q.data(), q.size(),
                                        v.data(), v.size()),
            TENON_OK);
  const double gravity[3] = {0, -9.81, -5};  // some axes are vertical
  ASSERT_EQ(tenon_workspace_set_gravity(w.get(), gravity, 3), TENON_OK);
  double kinetic = 0, gap = 0, worst = 0;
  const double start = energy(w, q, v, &kinetic), kinetic_at_start = kinetic;
  for (int step = 0; step < 150; ++step) {
    ASSERT_EQ(tenon_step_runge_kutta_4(w.get(), nullptr, 1e-3, q.data(), q.size(), v.data(), v.size(),
                                       tau.data(), tau.size(), nullptr, 0, nullptr, 0, nullptr, 0),
              TENON_OK)
        << tenon_workspace_message(w.get());
    ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q.data(), q.size(), &gap),
              TENON_OK);
    ASSERT_EQ(tenon_close_loop_velocities(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q.data(), q.size(),
                                          v.data(), v.size()),
              TENON_OK);
    worst = larger(worst, gap);
  }
  EXPECT_LE(worst, 1e-9);
  const double end = energy(w, q, v, &kinetic);
  EXPECT_NEAR(end, start, 1e-5 * kinetic);
  EXPECT_GT(std::abs(kinetic - kinetic_at_start), 1e-3 * kinetic) << "nothing moved";
}

TEST_P(LoopModels, StayClosedAndKeepTheirEnergy) {
  const Case& c = GetParam();
  const Model model = load_case(c);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(tenon_model_nv(model.get()), c.nv);
  EXPECT_EQ(tenon_model_ny(model.get()), c.ny);
  EXPECT_EQ(tenon_model_cluster_count(model.get()), c.clusters);
  expect_closed_and_conservative(model);
}

TEST(GeneratedRobots, StayClosedAndKeepTheirEnergy) {
  for (const client::CellFacts& cell : client::cell_facts()) {
    SCOPED_TRACE(cell.name);
    Model model;
    const Answer answer = parse(client::generate_chain(cell.kind, 2, 2), &model);
    ASSERT_EQ(answer.status, TENON_OK) << answer.message;
    EXPECT_EQ(tenon_model_nv(model.get()), 4 * cell.bodies);
    EXPECT_EQ(tenon_model_ny(model.get()), 4 * cell.independent);
    EXPECT_EQ(tenon_model_cluster_count(model.get()), 4);
    expect_closed_and_conservative(model);
  }
  for (const client::TieKind kind : {client::TieKind::transmission, client::TieKind::connecting_rod}) {
    Model model;
    const Answer answer = parse(client::generate_tied_branches(kind, 3, 2), &model);
    ASSERT_EQ(answer.status, TENON_OK) << answer.message;
    EXPECT_EQ(tenon_model_ny(model.get()), 5);
    expect_closed_and_conservative(model);
  }
}

const Case cases[] = {
    {"four_bar", TENON_BASE_FIXED, 3, 1, 1},           {"six_bar", TENON_BASE_FIXED, 5, 3, 1},
    {"planar_leg_linkage", TENON_BASE_FIXED, 4, 2, 1}, {"revolute_rotor_chain", TENON_BASE_FIXED, 6, 3, 3},
    {"mit_humanoid_leg", TENON_BASE_FIXED, 10, 5, 4},  {"strandbeest_leg", TENON_BASE_FIXED, 11, 1, 1},
    {"mini_cheetah", TENON_BASE_FLOATING, 30, 18, 12}, {"mit_humanoid", TENON_BASE_FLOATING, 42, 24, 16},
    {"tello", TENON_BASE_FLOATING, 42, 24, 14},        {"jvrc1", TENON_BASE_FLOATING, 63, 38, 25}};
INSTANTIATE_TEST_SUITE_P(Files, LoopModels, testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

// Rotor angles for given gimbal and thigh, shin and foot, from the equations solved by other means.
TEST(Tello, DifferentialsTurnTheRotorsAsTheEquationsSay) {
  const Model model = tello();
  const Workspace w = workspace(model, nullptr);
  std::vector<double> q(static_cast<size_t>(tenon_model_nq(model.get())));
  ASSERT_EQ(tenon_neutral(w.get(), q.data(), q.size()), TENON_OK);
  const struct {
    const char* joint;
    double angle;
  } expected[] = {{"left-hip-clamp-to-gimbal", 0.1},
                  {"left-gimbal-to-thigh", -0.2},
                  {"left-hip-clamp-to-hip-rotor-1", 0.27473808960},
                  {"left-hip-clamp-to-hip-rotor-2", -0.77596251530},
                  {"left-thigh-to-shin", 0.3},
                  {"left-shin-to-foot", -0.2},
                  {"left-thigh-to-knee-ankle-rotor-1", 2.9141181763},
                  {"left-thigh-to-knee-ankle-rotor-2", 0.6858818237},
                  {"right-hip-clamp-to-hip-rotor-1", 0.94112096873},
                  {"right-hip-clamp-to-hip-rotor-2", 0.94112096873},
                  {"right-thigh-to-knee-ankle-rotor-1", 5.581974395e-4},
                  {"right-thigh-to-knee-ankle-rotor-2", -5.581974395e-4}};
  for (const auto& joint : expected) q[position_of(model, joint.joint)] = joint.angle;
  double gap = 1;
  ASSERT_EQ(tenon_loop_gap(w.get(), q.data(), q.size(), &gap), TENON_OK);
  EXPECT_LE(gap, 1e-10);
  for (const char* joint : {"left-hip-clamp-to-gimbal", "left-gimbal-to-thigh", "left-thigh-to-shin"})
    q[position_of(model, joint)] += 0.02;
  ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q.data(), q.size(), &gap),
            TENON_OK);
  EXPECT_LE(gap, 1e-12);
  for (const auto& joint : expected)
    EXPECT_NEAR(q[position_of(model, joint.joint)], joint.angle, 1e-8) << joint.joint;
}

// K is the derivative of phi and Kdot_v that of K v, by central differences.
TEST(Tello, DerivativesOfTheDifferentials) {
  for (const tenon_implicit_callback differential : {tello_hip, tello_knee_ankle}) {
    const double q[4] = {1.1, -0.7, 0.2, -0.3}, v[4] = {2, -3, 0.7, 1.3}, h = 1e-5;
    struct {
      double phi[2], K[8], Kdot_v[2];
      double rate(int row, const double* w) const {
        return K[row] * w[0] + K[2 + row] * w[1] + K[4 + row] * w[2] + K[6 + row] * w[3];
      }
    } at, ahead, behind;
    double forward[4], back[4];
    for (int i = 0; i < 4; ++i) forward[i] = q[i] + h * v[i], back[i] = q[i] - h * v[i];
    EXPECT_EQ(TENON_OK, differential(nullptr, 4, 4, 2, q, v, at.phi, at.K, at.Kdot_v));
    EXPECT_EQ(TENON_OK, differential(nullptr, 4, 4, 2, forward, v, ahead.phi, ahead.K, ahead.Kdot_v));
    EXPECT_EQ(TENON_OK, differential(nullptr, 4, 4, 2, back, v, behind.phi, behind.K, behind.Kdot_v));
    for (int row = 0; row < 2; ++row) {
      EXPECT_NEAR((ahead.phi[row] - behind.phi[row]) / (2 * h), at.rate(row, v), 1e-9);
      EXPECT_NEAR((ahead.rate(row, v) - behind.rate(row, v)) / (2 * h), at.Kdot_v[row], 1e-9);
    }
  }
}

TEST(Builder, StartsFromUrdfAndTellsWhatItLacks) {
  tenon_builder* made = nullptr;
  char message[1024] = "?";
  EXPECT_EQ(tenon_builder_load_urdf("no/such/robot.urdf", nullptr, &made, message, sizeof message),
            TENON_FILE_ERROR);
  EXPECT_EQ(made, nullptr);
  const std::string text = "<robot name='r'><link name='base'/><link name='arm'/></robot>";
  EXPECT_EQ(tenon_builder_parse_urdf(nullptr, 0, nullptr, &made, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_builder_parse_urdf(text.data(), text.size(), nullptr, nullptr, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  ASSERT_EQ(tenon_builder_parse_urdf(text.data(), text.size(), nullptr, &made, message, sizeof message),
            TENON_OK)
      << message;
  const Builder builder(made);
  int32_t arm = -1;
  EXPECT_EQ(tenon_builder_find_link(made, "arm", &arm, message, sizeof message), TENON_OK);
  EXPECT_EQ(arm, 1);
  EXPECT_EQ(tenon_builder_find_link(made, "arn", &arm, message, sizeof message), TENON_NOT_FOUND);
  EXPECT_NE(std::string(message).find("arm"), std::string::npos) << message;
  EXPECT_EQ(tenon_builder_find_link(nullptr, "arm", &arm, message, sizeof message), TENON_INVALID_ARGUMENT);
  // No joint moves `arm`: two roots, found when the model is made, and mended by a joint.
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_builder_finish(made, nullptr, &model, message, sizeof message), TENON_INVALID_MODEL);
  tenon_joint_options joint;
  ASSERT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
  joint.type = TENON_JOINT_TYPE_FIXED, joint.parent_link = 0, joint.child_link = arm;
  ASSERT_EQ(tenon_builder_add_joint(made, "weld", &joint, message, sizeof message), TENON_OK) << message;
  EXPECT_EQ(tenon_builder_finish(made, nullptr, &model, message, sizeof message), TENON_OK) << message;
  tenon_model_destroy(model);
}

}  // namespace
