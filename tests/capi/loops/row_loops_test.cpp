// Loops that constraint rows close (TENON_LOOP_TREATMENT_ROWS), through tenon.h: they are constraints of every set,
// loops of the model, and part of every answer about loops.
#include <algorithm>
#include <array>
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

namespace {

Model load_with(const std::string& name, int32_t loops, int32_t base = TENON_BASE_FIXED) {
  tenon_model_options options;
  EXPECT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.loop_treatment = loops;
  options.base = base;
  char message[1024] = "?";
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_model_load_urdf(model_path(name).c_str(), &options, &model, message, sizeof message),
            TENON_OK)
      << message;
  return Model(model);
}

Constraints finished(const Model& model, const char* point_on) {
  Constraints set = constraints(model);
  if (point_on) {
    tenon_constraint_options options;
    EXPECT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK);
    options.name = "mine";
    EXPECT_EQ(tenon_constraints_add_point(set.get(), link(model, point_on), nullptr, 0, &options, nullptr,
                                          nullptr, 0),
              TENON_OK);
  }
  EXPECT_EQ(tenon_constraints_constraint_count(set.get()), point_on ? 1 : 0) << "before it is finished";
  char message[1024] = "?";
  EXPECT_EQ(tenon_constraints_finish(set.get(), message, sizeof message), TENON_OK) << message;
  return set;
}

std::vector<double> guess(const Workspace& w, const Model& model) {
  std::vector<double> q(static_cast<std::size_t>(tenon_model_nq(model.get())));
  EXPECT_EQ(tenon_workspace_guess(w.get(), q.data(), q.size()), TENON_OK);
  return q;
}

double gap_at(const Workspace& w, const std::vector<double>& q) {
  double gap = -1;
  EXPECT_EQ(tenon_loop_gap(w.get(), q.data(), q.size(), &gap), TENON_OK) << tenon_workspace_message(w.get());
  return gap;
}

const char* const linkages[] = {"four_bar", "six_bar", "strandbeest_leg"};

}  // namespace

TEST(CapiRowLoops, AreConstraintsOfEveryFinishedSet) {
  const Model model = load_with("strandbeest_leg", TENON_LOOP_TREATMENT_ROWS);
  const int32_t loops = tenon_model_loop_count(model.get());
  ASSERT_EQ(loops, 5);
  const char* foot = tenon_model_link_name(model.get(), tenon_model_link_count(model.get()) - 1);
  for (const char* point : {static_cast<const char*>(nullptr), foot}) {
    const Constraints set = finished(model, point);
    const int32_t mine = point ? 1 : 0, count = tenon_constraints_constraint_count(set.get());
    EXPECT_EQ(count, mine + loops);
    int32_t row = 0;
    tenon_constraint_info info;
    for (int32_t i = 0; i < count; ++i) {
      ASSERT_EQ(tenon_constraint_info_init(&info, sizeof info), TENON_OK);
      ASSERT_EQ(tenon_constraints_constraint_info(set.get(), i, &info), TENON_OK);
      EXPECT_EQ(info.first_row, row);
      EXPECT_EQ(info.closes_loop, i >= mine);
      row += info.row_count;
      ASSERT_NE(info.name, nullptr);
      int32_t found = -1;
      EXPECT_EQ(tenon_constraints_find_constraint(set.get(), info.name, &found, nullptr, 0), TENON_OK)
          << info.name;
      EXPECT_EQ(found, i);
      if (i < mine) continue;
      tenon_loop_info loop;
      ASSERT_EQ(tenon_loop_info_init(&loop, sizeof loop), TENON_OK);
      ASSERT_EQ(tenon_model_loop_info(model.get(), i - mine, &loop), TENON_OK);
      EXPECT_STREQ(loop.name, info.name);
      EXPECT_EQ(loop.kind, TENON_LOOP_KIND_GEOMETRIC);
      EXPECT_EQ(loop.cluster, TENON_NONE);
      EXPECT_EQ(loop.first_row, TENON_NONE);
      EXPECT_EQ(loop.row_count, 0);
    }
    EXPECT_EQ(tenon_constraints_row_count(set.get()), row);
    EXPECT_EQ(tenon_constraints_constraint_info(set.get(), count, &info), TENON_OUT_OF_RANGE);
    tenon_loop_info loop;
    ASSERT_EQ(tenon_loop_info_init(&loop, sizeof loop), TENON_OK);
    EXPECT_EQ(tenon_model_loop_info(model.get(), loops, &loop), TENON_OUT_OF_RANGE);
  }
}

TEST(CapiRowLoops, WorkspaceTellsHowManyRowsItHas) {
  EXPECT_EQ(tenon_workspace_row_count(nullptr), TENON_INVALID_ARGUMENT);
  const Model tree = load("iiwa14");
  EXPECT_EQ(tenon_workspace_row_count(workspace(tree).get()), 0);
  const Model model = load_with("four_bar", TENON_LOOP_TREATMENT_ROWS);
  for (const char* point : {static_cast<const char*>(nullptr), "link1"}) {
    const Constraints set = point ? finished(model, point) : nullptr;
    const Workspace w = workspace(model, set);
    const int32_t rows = tenon_workspace_row_count(w.get());
    EXPECT_EQ(rows, point ? 5 : 2);
    State s(model, w.get(), 1, static_cast<std::size_t>(rows));
    s.q = guess(w, model);
    EXPECT_GE(s.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
    s.lambda.resize(static_cast<std::size_t>(rows) + 1);
    EXPECT_EQ(s.constrained(w.get()), TENON_WRONG_SIZE);
  }
}

TEST(CapiRowLoops, GuessIsClosedAndMayBeSet) {
  for (const char* name : linkages) {
    SCOPED_TRACE(name);
    const Model model = load_with(name, TENON_LOOP_TREATMENT_ROWS),
                embedded = load_with(name, TENON_LOOP_TREATMENT_EMBED);
    const Workspace w = workspace(model), e = workspace(embedded);
    std::vector<double> q = guess(w, model);
    EXPECT_LT(gap_at(w, q), 1e-9);
    // Joints are numbered alike where no cluster reorders them.
    std::vector<double> there = q;
    for (double& x : there) x += 1e-3;
    ASSERT_EQ(tenon_workspace_set_guess(w.get(), there.data(), there.size()), TENON_OK)
        << tenon_workspace_message(w.get());
    const std::vector<double> set = guess(w, model);
    EXPECT_LT(gap_at(w, set), 1e-9);
    EXPECT_NEAR(set[0], there[0], 1e-15) << "the first joint is independent";
    EXPECT_NE(set, q);
    std::fill(there.begin(), there.end(), std::nan(""));
    EXPECT_EQ(tenon_workspace_set_guess(w.get(), there.data(), there.size()), TENON_NOT_FINITE);
    EXPECT_EQ(guess(w, model), set);
  }
}

TEST(CapiRowLoops, CheckLoopsSeesWhatLoopGapSees) {
  for (const char* name : linkages) {
    SCOPED_TRACE(name);
    const Model model = load_with(name, TENON_LOOP_TREATMENT_ROWS);
    const Workspace w = workspace(model);
    State s(model, w.get());
    std::fill(s.v.begin(), s.v.end(), 1.0);
    tenon_loop_state state;
    ASSERT_EQ(tenon_loop_state_init(&state, sizeof state), TENON_OK);
    ASSERT_EQ(tenon_check_loops(w.get(), s.q.data(), s.q.size(), s.v.data(), s.v.size(), &state), TENON_OK);
    EXPECT_GT(state.position_gap, 0.01);
    EXPECT_EQ(state.position_gap, gap_at(w, s.q));
    EXPECT_GT(state.velocity_gap, 0.01);
    tenon_loop_info loop;
    ASSERT_EQ(tenon_loop_info_init(&loop, sizeof loop), TENON_OK);
    EXPECT_EQ(tenon_model_loop_info(model.get(), state.position_loop, &loop), TENON_OK);
    EXPECT_EQ(tenon_model_loop_info(model.get(), state.velocity_loop, &loop), TENON_OK);
    s.q = guess(w, model);
    ASSERT_EQ(tenon_check_loops(w.get(), s.q.data(), s.q.size(), nullptr, 0, &state), TENON_OK);
    EXPECT_LT(state.position_gap, 1e-9);
    EXPECT_EQ(state.velocity_loop, TENON_NONE);
  }
}

#ifdef TENON_EXPERIMENTAL
// By every method that is made for comparison, the approximate ones too, as if the loops were embedded.
TEST(CapiRowLoops, LoopForwardDynamicsTreatsThem) {
  const Model rows = load_with("four_bar", TENON_LOOP_TREATMENT_ROWS),
              embedded = load_with("four_bar", TENON_LOOP_TREATMENT_EMBED);
  const Workspace w = workspace(rows), e = workspace(embedded);
  const double gravity[3] = {0, -9.81, 0};
  ASSERT_EQ(tenon_workspace_set_gravity(w.get(), gravity, 3), TENON_OK);
  ASSERT_EQ(tenon_workspace_set_gravity(e.get(), gravity, 3), TENON_OK);
  State s(rows, w.get());
  s.q = guess(w, rows);
  ASSERT_EQ(tenon_close_loop_velocities(e.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), s.q.data(), 3,
                                        s.v.data(), 3),
            TENON_OK);
  std::vector<double> wrenches(static_cast<std::size_t>(6 * tenon_model_link_count(rows.get())), 0.1);
  for (int32_t method = TENONX_LOOP_METHOD_AUTOMATIC; method <= TENONX_LOOP_METHOD_UNCONSTRAINED; ++method) {
    SCOPED_TRACE(method);
    std::array<double, 3> by_rows{}, expected{};
    ASSERT_EQ(tenonx_loop_forward_dynamics(w.get(), method, s.q.data(), 3, s.v.data(), 3, s.tau.data(), 3,
                                           wrenches.data(), wrenches.size(), by_rows.data(), 3),
              TENON_OK);
    ASSERT_EQ(tenonx_loop_forward_dynamics(e.get(), method, s.q.data(), 3, s.v.data(), 3, s.tau.data(), 3,
                                           wrenches.data(), wrenches.size(), expected.data(), 3),
              TENON_OK);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(by_rows[k], expected[k], 1e-8);
  }
}
#endif

// A flat four-bar linkage cannot stop at once: the rows contradict each other, and the header says so.
TEST(CapiRowLoops, ForwardDynamicsTellsOfRowsThatContradict) {
  const Model model = load_with("four_bar", TENON_LOOP_TREATMENT_ROWS);
  const Workspace w = workspace(model);
  State s(model, w.get());
  std::fill(s.q.begin(), s.q.end(), 0.0);
  s.v = {1, 2, -1};
  EXPECT_EQ(s.forward(w.get()), TENON_INFEASIBLE);
  for (const double x : s.qdd) EXPECT_TRUE(std::isfinite(x) && x != 77.0);
}

TEST(CapiRowLoops, CycleOfJointsIsRefused) {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  for (const char* treatment : {"embed", "open", "rows", "automatic"}) {
    SCOPED_TRACE(treatment);
    const Answer made =
        parse("<robot name='r'><link name='a'>" + inertial + "</link><link name='b'>" + inertial +
              "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
              "</joint><joint name='k' type='continuous'><parent link='b'/><child link='a'/>"
              "</joint><loop name='L' type='revolute' treatment='" +
              treatment + "'><predecessor link='a'/><successor link='b'/><axis xyz='0 0 1'/></loop></robot>");
    EXPECT_EQ(made.status, TENON_INVALID_MODEL);
    EXPECT_NE(made.message.find("form a cycle through the links 'a', 'b'"), std::string::npos)
        << made.message;
  }
}

// A name that goes on where another one ends.
TEST(CapiRowLoops, WarningsFollowTheirLoops) {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  std::string text = "<robot name='r'><link name='base'/>";
  for (const char* name : {"a", "b", "c", "d"})
    text += std::string("<link name='") + name + "'>" + inertial + "</link>";
  const char* const joints[4][3] = {
      {"base", "a", "0 0 0"}, {"a", "b", "1 0 0"}, {"base", "c", "1 0 0"}, {"c", "d", "1 0 0"}};
  for (const auto& joint : joints)
    text += std::string("<joint name='to_") + joint[1] + "' type='continuous'><parent link='" + joint[0] +
            "'/><child link='" + joint[1] + "'/><origin xyz='" + joint[2] + "'/><axis xyz='0 0 1'/></joint>";
  const auto loop = [](const char* name, const char* treatment, const char* from, const char* at,
                       const char* to, const char* there) {
    return std::string("<loop name=\"") + name + "\" type='revolute' treatment='" + treatment +
           "'><predecessor link='" + from + "'><origin xyz='" + at + "'/></predecessor><successor link='" +
           to + "'><origin xyz='" + there + "'/></successor><axis xyz='0 0 1'/></loop>";
  };
  text += loop("L", "rows", "b", "1 0 0", "c", "1 0 0") +
          loop("L' too", "embed", "c", "1 0 0", "d", "0 0 0") + "</robot>";
  Model model;
  const Answer made = parse(text, &model);
  ASSERT_EQ(made.status, TENON_OK) << made.message;
  int of_second = 0;
  for (int32_t i = 0; i < tenon_model_warning_count(model.get()); ++i)
    of_second += std::string(tenon_model_warning(model.get(), i)).find("'L' too' constrains nothing") !=
                 std::string::npos;
  EXPECT_EQ(of_second, 1);
}

TEST(CapiLoopAnswers, AssembliesWithoutLoopsAreOne) {
  const Model model = load("iiwa14");
  const Workspace w = workspace(model);
  State s(model, w.get());
  std::vector<double> assemblies(4 * s.q.size(), 77);
  int32_t found = -1;
  ASSERT_EQ(tenon_find_assemblies(w.get(), assemblies_from(4), s.q.data(), s.q.size(), 4, assemblies.data(),
                                  assemblies.size(), &found),
            TENON_OK);
  EXPECT_EQ(found, 1);
  assemblies.resize(s.q.size());
  EXPECT_EQ(assemblies, s.q);
}

// A stretched six-bar linkage: its dependent joints follow 1e8 times as fast. Sweeps take other coordinates;
// who gives and gets the independent ones is told.
TEST(CapiLoopAnswers, NextToADeadCentreTheMessageNamesTheLoop) {
  const Model model = load("six_bar");
  const Workspace w = workspace(model);
  State s(model, w.get());
  s.q = {2.236574586853168, -0.2121431080967593, -2.9148402460509844, 3.711915555102051, -3.1415926515242685};
  EXPECT_EQ(s.forward(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_EQ(tenon_mass_matrix_factor(w.get(), s.q.data(), s.q.size()), TENON_OK);
  ASSERT_EQ(
      tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT),
      TENON_OK);
  EXPECT_EQ(tenon_mass_matrix_factor(w.get(), s.q.data(), s.q.size()), TENON_SINGULAR_CONFIGURATION);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("dead centre"), std::string::npos)
      << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING),
            TENON_OK);
  // However near: no body lacks inertia.
  const std::vector<double> stretched = s.q;
  for (int digit = 1; digit <= 12; ++digit)
    for (std::size_t joint = 0; joint < s.q.size(); ++joint)
      for (const double side : {-1.0, 1.0}) {
        s.q = stretched;
        s.q[joint] += side * std::pow(10.0, -digit);
        const tenon_status status = s.forward(w.get());
        EXPECT_TRUE(status == TENON_OK || status == TENON_SINGULAR_CONFIGURATION)
            << digit << " " << joint << ": " << tenon_workspace_message(w.get());
      }
}
