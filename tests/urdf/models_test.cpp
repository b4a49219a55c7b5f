// Every file in models/ compiles to the robot its source describes: size, mass, centre of mass and mass
// matrix at q = 0.
//
// The robots' numbers were computed once from the published files by a dense program outside of Tenon (mass
// matrix from link Jacobians; a floating base as three angular and three linear coordinates along the axes of
// the root link). Those of the two lessons follow from the formulas beside them.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tenon/dynamics.hpp"
#include "tenon/model.hpp"
#include "tenon/urdf.hpp"

namespace tenon {
namespace {

struct Robot {
  const char* file;
  bool floating;
  std::size_t links;
  int nv;
  double mass;
  Vector3 center_of_mass;  // at q = 0, root link frame
  double trace_M, frobenius_M;
};

const Robot robots[] = {
    {"iiwa14",
     false,
     11,
     7,
     30.61,
     {-0.01640819993466189, 0.00023260372427311087, 0.5654469127736034},
     6.1857838009999995,
     5.911337215876246},
    {"panda_arm",
     false,
     13,
     7,
     17.451901000000003,
     {0.02322054496196936, 0.006107077874114577, 0.6062237547343409},
     3.7948013620497805,
     3.385048710361649},
    {"solo12",
     true,
     17,
     18,
     2.5000027899999995,
     {0, 0, -0.03449762335887841},
     7.729637313493253,
     4.336141643881243},
    {"go1",
     true,
     39,
     18,
     13.100528,
     {0.008175819803293415, 0.0008478253536040645, -0.03109508550037067},
     40.69217939672661,
     22.72141101234552},
    {"atlas",
     true,
     43,
     36,
     175.11796399999994,
     {0.0013388430150483171, 0.0010491100512743292, 0.2908738822896321},
     733.0669528424803,
     348.83792898504447},
    {"four_bar", false, 4, 3, 9.899999999999999, {0.5, 0.0, 0.0}, 0.9956919999999998, 0.9143378912808982},
    {"six_bar", false, 6, 5, 16.5, {0.16, 0.0, 0.0}, 1.3740569999999999, 0.8990838640844356},
    {"planar_leg_linkage",
     false,
     5,
     4,
     0.47600000000000003,
     {0.06293382352941176, 0.0, 0.0},
     0.0033602745499999994,
     0.002836158455998519},
    {"revolute_rotor_chain", false, 7, 6, 3.0, {1.5, 0.0, 0.0}, 17.5006, 16.14413826006207},
    {"mit_humanoid_leg",
     false,
     11,
     10,
     5.330541,
     {0.008567243991038405, -0.07036003318152885, -0.25925264453631774},
     0.4384279913571234,
     0.2937556104916375},
    {"strandbeest_leg",
     false,
     12,
     11,
     4.944,
     {-0.3512784552861248, 0.0, -0.18450728291038096},
     2.515921388030641,
     1.461148438183277},
    {"mini_cheetah",
     true,
     25,
     30,
     8.911999999999999,
     {-1.6739925822935977e-17, -1.7518527024002765e-18, -0.013447037701974867},
     27.453779528000013,
     15.444670912925506},
    {"mit_humanoid",
     true,
     37,
     42,
     25.96855000000002,
     {0.010450262292604666, 0.0015653134272032895, -0.04533075320838376},
     82.91500825783616,
     45.15701530795129},
    {"tello",
     true,
     37,
     42,
     16.136868,
     {0.0070048830478628196, -0.00021589319563127563, -0.06558974318119228},
     51.5931681285491,
     28.09870743214093},
    {"jvrc1",
     true,
     58,
     63,
     61.75000000000001,
     {0.006677894736842102, 1.0787592142106783e-17, 0.01822639676113323},
     234.42199852800007,
     110.65061858616366},
    {"cassie",
     true,
     23,
     28,
     32.94,
     {-0.044368847166548785, 0.0001085712447045391, -0.1295977306283383},
     112.14920683722839,
     58.47866408182215},
    {"shadow_hand",
     false,
     31,
     24,
     3.793999999999998,
     {0.0012089941675543676, -0.0023008328940432275, 0.1369274581203999},
     0.02019575529995068,
     0.013511210618637672},
    {"atlas_shadow_hands",
     true,
     105,
     84,
     182.70596400000002,
     {0.006653598404995263, 0.0010055392400386914, 0.29649784309906846},
     820.6773092805263,
     373.5821147870685},
};

std::string path_of(const std::string& name) {
  return std::string(TENON_MODELS_DIR) + "/" + name + ".urdf";
}

std::shared_ptr<const Model> compile(const Mechanism& mechanism, bool floating) {
  CompileOptions options;
  options.floating_base = floating;
  return Model::compile(mechanism, options);
}

// Compiled with a floating base, so that links fixed to the world count too. Mechanisms with loops here have
// either such a base or a massless root.
Vector3 center_of_mass_at_zero(const Mechanism& mechanism) {
  const bool tree = mechanism.loops.empty() && mechanism.gears.empty();
  const auto model = compile(mechanism, tree || mechanism.links.front().mass > 0);
  Workspace w(model);
  std::vector<double> q(static_cast<std::size_t>(model->nq));
  neutral(*model, q.data());
  Vector3 com{};
  EXPECT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok) << w.message();
  EXPECT_EQ(center_of_mass(w, com.data(), nullptr, nullptr, 0), Status::ok) << w.message();
  return com;
}

// Column-major.
std::vector<double> mass_matrix_at_zero(const std::shared_ptr<const Model>& model) {
  Workspace w(model);
  std::vector<double> q(static_cast<std::size_t>(model->nq));
  neutral(*model, q.data());
  std::vector<double> M(static_cast<std::size_t>(model->nv * model->nv));
  EXPECT_EQ(mass_matrix(w, q.data(), M.data(), model->nv), Status::ok) << w.message();
  return M;
}

class Models : public ::testing::TestWithParam<Robot> {};

TEST_P(Models, MatchesTheFiguresOfItsSource) {
  const Robot& robot = GetParam();
  const Mechanism mechanism = load_urdf(path_of(robot.file));
  EXPECT_TRUE(mechanism.warnings.empty()) << mechanism.warnings.front();
  EXPECT_EQ(mechanism.links.size(), robot.links);

  const auto model = compile(mechanism, robot.floating);
  ASSERT_EQ(model->nv, robot.nv);
  EXPECT_EQ(model->nq, robot.nv + (robot.floating ? 1 : 0));
  EXPECT_NEAR(model->total_mass, robot.mass, 1e-13 * robot.mass);
  const Vector3 com = center_of_mass_at_zero(mechanism);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(com[i], robot.center_of_mass[i], 1e-14) << "axis " << i;

  const std::vector<double> M = mass_matrix_at_zero(model);
  double trace = 0, square = 0;
  for (std::size_t i = 0; i < M.size(); i += static_cast<std::size_t>(model->nv) + 1) trace += M[i];
  for (const double entry : M) square += entry * entry;
  EXPECT_NEAR(trace, robot.trace_M, 1e-12 * robot.trace_M);
  EXPECT_NEAR(std::sqrt(square), robot.frobenius_M, 1e-12 * robot.frobenius_M);
}

std::string file_of(const ::testing::TestParamInfo<Robot>& robot) {
  return robot.param.file;
}

INSTANTIATE_TEST_SUITE_P(Files, Models, ::testing::ValuesIn(robots), file_of);

// Two rods hanging down, m = 1.2 at half of their length 1, inertia I about their middle.
TEST(Models, DoublePendulumHasTheMassMatrixOfItsRods) {
  const auto model = compile(load_urdf(path_of("double_pendulum")), false);
  ASSERT_EQ(model->nv, 2);
  EXPECT_NEAR(model->total_mass, 2.4, 1e-15);
  const double m = 1.2, I = 0.10012;
  const double expected[4] = {2 * I + m * (0.25 + 2.25), I + 0.75 * m, I + 0.75 * m, I + 0.25 * m};
  const std::vector<double> M = mass_matrix_at_zero(model);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(M[i], expected[i], 1e-14) << "entry " << i;
}

// Ten rods of 0.2 m; the hinges alternate between y and x, so turning hinge i moves all rods from i on
// rigidly and M_ii is their inertia about it: sum over k = 0 .. 10 - i of I + m (0.1 + 0.2 k)^2.
TEST(Models, ChainHasTheMassMatrixOfItsRods) {
  const auto model = compile(load_urdf(path_of("chain")), false);
  ASSERT_EQ(model->nv, 10);
  EXPECT_NEAR(model->total_mass, 3, 1e-14);
  const std::vector<double> M = mass_matrix_at_zero(model);
  double inertia = 0;
  for (std::size_t i = 10; i-- > 0;) {
    inertia += 0.0010075 + 0.3 * std::pow(0.1 + 0.2 * static_cast<double>(9 - i), 2);
    EXPECT_NEAR(M[11 * i], inertia, 1e-13) << "hinge " << i + 1;
  }
}

// Feet, hands and tools that contacts are registered on.
TEST(Models, KeepTheFramesThatContactsNeed) {
  const std::pair<const char*, std::vector<const char*>> frames[] = {
      {"iiwa14", {"iiwa_link_7", "iiwa_link_ee"}},
      {"panda_arm", {"panda_hand", "panda_hand_tcp"}},
      {"solo12", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}},
      {"go1", {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}},
      {"atlas", {"l_foot", "r_foot", "l_hand", "r_hand"}},
      {"shadow_hand", {"rh_fftip", "rh_mftip", "rh_rftip", "rh_lftip", "rh_thtip", "rh_manipulator"}},
      {"atlas_shadow_hands",
       {"l_foot", "r_foot", "lh_fftip", "lh_mftip", "lh_rftip", "lh_lftip", "lh_thtip", "rh_fftip",
        "rh_mftip", "rh_rftip", "rh_lftip", "rh_thtip"}},
      {"double_pendulum", {"tip"}},
      {"chain", {"tip"}}};
  for (const auto& [file, names] : frames) {
    const auto model = compile(load_urdf(path_of(file)), false);
    for (const char* name : names) EXPECT_GE(model->find_link(name), 0) << file << " has no " << name;
  }
}

}  // namespace
}  // namespace tenon
