// Constraint sets: filling, refusals, what they tell, and the layout of rows as the solver and the header see
// it.
#include <cmath>
#include <numeric>

#include "support.hpp"

using namespace tenon_test;

namespace {

class ConstraintsTest : public ::testing::Test {
 protected:
  ConstraintsTest() { EXPECT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK); }
  tenon_status weld() {
    return tenon_constraints_add_weld(set.get(), foot, nullptr, 0, &options, nullptr, message,
                                      sizeof message);
  }
  tenon_status point() {
    return tenon_constraints_add_point(set.get(), foot, nullptr, 0, &options, nullptr, message,
                                       sizeof message);
  }
  tenon_status finish() { return tenon_constraints_finish(set.get(), message, sizeof message); }
  bool says(const char* word) const { return std::string(message).find(word) != std::string::npos; }

  Model model = load("atlas", TENON_BASE_FLOATING);
  int32_t foot = link(model, "l_foot");
  Constraints set = constraints(model);
  tenon_constraint_options options;
  char message[512] = "";
};

TEST_F(ConstraintsTest, TellWhatTheyHold) {
  const double pose[7] = {0.1, 0, 0, 0, 0, 0, 1}, K[2 * 6] = {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  int32_t index = -1;
  options.name = "heel";
  options.frequency = 5;
  ASSERT_EQ(tenon_constraints_add_weld(set.get(), foot, pose, 7, &options, &index, message, sizeof message),
            TENON_OK)
      << message;
  EXPECT_EQ(index, 0);
  options.name = "rows";
  options.frequency = 0;
  ASSERT_EQ(tenon_constraints_add_rows(set.get(), 0, 2, K, 12, 2, &options, &index, message, sizeof message),
            TENON_OK)
      << message;
  options.name = "toe";
  options.rows = 0x28;
  options.axes = TENON_AXES_WORLD;
  ASSERT_EQ(point(), TENON_OK) << message;
  EXPECT_EQ(tenon_constraints_row_count(set.get()), TENON_INVALID_ARGUMENT);
  ASSERT_EQ(finish(), TENON_OK) << message;

  EXPECT_EQ(tenon_constraints_constraint_count(set.get()), 3);
  EXPECT_EQ(tenon_constraints_row_count(set.get()), 6 + 2 + 2);
  ASSERT_EQ(tenon_constraints_find_constraint(set.get(), "toe", &index, message, sizeof message), TENON_OK);
  EXPECT_EQ(index, 2);
  EXPECT_EQ(tenon_constraints_find_constraint(set.get(), "hell", &index, message, sizeof message),
            TENON_NOT_FOUND);
  EXPECT_TRUE(says("did you mean 'heel'?")) << message;
  EXPECT_EQ(tenon_constraints_find_constraint(set.get(), "x", &index, message, sizeof message),
            TENON_NOT_FOUND);
  EXPECT_TRUE(says("no constraint is named 'x'; there are 'heel', 'rows', 'toe'")) << message;
  tenon_constraint_info info;
  ASSERT_EQ(tenon_constraint_info_init(&info, sizeof info), TENON_OK);
  const int32_t first[] = {0, 6, 8}, count[] = {6, 2, 2};
  const uint32_t rows[] = {TENON_ROWS_ALL, 0, 0x28};
  for (int32_t i = 0; i < 3; ++i) {
    ASSERT_EQ(tenon_constraints_constraint_info(set.get(), i, &info), TENON_OK);
    EXPECT_EQ(info.first_row, first[i]);
    EXPECT_EQ(info.row_count, count[i]);
    EXPECT_EQ(info.rows, rows[i]);
    EXPECT_EQ(info.link, i == 1 ? 0 : foot);
    EXPECT_EQ(info.second_link, TENON_NONE);
    EXPECT_EQ(info.axes, i == 2 ? TENON_AXES_WORLD : TENON_AXES_LINK);
    EXPECT_EQ(info.frequency, i == 0 ? 5 : 0);
  }
  EXPECT_STREQ(info.name, "toe");
  EXPECT_EQ(tenon_constraints_constraint_info(set.get(), 3, &info), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_constraints_constraint_info(nullptr, 0, &info), TENON_INVALID_ARGUMENT);
}

TEST_F(ConstraintsTest, RefuseWhatIsWrongAtOnce) {
  const double bad[3] = {0, std::nan(""), 0}, off[7] = {0, 0, 0, 1, 0, 0, 1};
  const auto add_point = [&](int32_t on, const double* values, size_t count) {
    return tenon_constraints_add_point(set.get(), on, values, count, nullptr, nullptr, message,
                                       sizeof message);
  };
  EXPECT_EQ(add_point(-1, nullptr, 0), TENON_OUT_OF_RANGE);
  EXPECT_EQ(add_point(1000, nullptr, 0), TENON_OUT_OF_RANGE);
  EXPECT_TRUE(says("1000")) << message;
  EXPECT_EQ(add_point(foot, bad, 3), TENON_NOT_FINITE);
  EXPECT_TRUE(says("point[1]")) << message;
  EXPECT_EQ(add_point(foot, bad, 2), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_constraints_add_weld(set.get(), foot, off, 7, nullptr, nullptr, message, sizeof message),
            TENON_NOT_NORMALIZED);
  EXPECT_EQ(
      tenon_constraints_add_rows(set.get(), foot, 2, off, 7, 2, nullptr, nullptr, message, sizeof message),
      TENON_WRONG_SIZE);
  EXPECT_EQ(
      tenon_constraints_add_rows(set.get(), foot, 2, off, 7, 1, nullptr, nullptr, message, sizeof message),
      TENON_WRONG_SIZE);
  EXPECT_EQ(
      tenon_constraints_add_rows(set.get(), foot, 0, off, 7, 1, nullptr, nullptr, message, sizeof message),
      TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_constraints_add_rows(set.get(), foot, 1, nullptr, 6, 1, nullptr, nullptr, message,
                                       sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_constraints_add_point(nullptr, foot, nullptr, 0, nullptr, nullptr, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_constraints_constraint_count(set.get()), 0);
}

TEST_F(ConstraintsTest, RefuseBadOptions) {
  const double numbers[6] = {1, 1, -1, 1, 1, 1};
  const auto refused = [&](const std::string& kind, tenon_status expected, auto&& change) {
    ASSERT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK);
    change(options);
    EXPECT_STREQ(tenon_status_string(kind == "point" ? point() : weld()), tenon_status_string(expected))
        << message;
    EXPECT_EQ(tenon_constraints_constraint_count(set.get()), 0);
  };
  refused("weld", TENON_INVALID_ARGUMENT, [](auto& o) { o.rows = 0; });
  refused("point", TENON_INVALID_ARGUMENT, [](auto& o) { o.rows = TENON_ROWS_ANGULAR; });
  refused("weld", TENON_INVALID_ARGUMENT, [](auto& o) { o.rows = 0x40; });
  refused("weld", TENON_INVALID_ARGUMENT, [](auto& o) { o.axes = 2; });
  refused("weld", TENON_INVALID_ARGUMENT, [](auto& o) { o.frequency = -1; });
  refused("weld", TENON_NOT_FINITE, [](auto& o) { o.damping_ratio = std::nan(""); });
  refused("weld", TENON_WRONG_SIZE, [&](auto& o) { o.weights = numbers, o.weights_count = 3; });
  refused("weld", TENON_INVALID_ARGUMENT, [&](auto& o) { o.weights = numbers, o.weights_count = 6; });
  refused("point", TENON_INVALID_ARGUMENT, [&](auto& o) { o.compliance = numbers, o.compliance_count = 3; });
}

TEST_F(ConstraintsTest, DoNotChangeOnceFinished) {
  ASSERT_EQ(weld(), TENON_OK);
  tenon_workspace* w = nullptr;
  EXPECT_EQ(tenon_workspace_create(model.get(), set.get(), nullptr, &w, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_TRUE(says("tenon_constraints_finish")) << message;
  EXPECT_EQ(w, nullptr);
  ASSERT_EQ(finish(), TENON_OK);
  EXPECT_EQ(finish(), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(weld(), TENON_INVALID_ARGUMENT);
  EXPECT_TRUE(says("finished")) << message;
  const Model other = load("atlas", TENON_BASE_FLOATING);
  EXPECT_EQ(tenon_workspace_create(other.get(), set.get(), nullptr, &w, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_TRUE(says("another model")) << message;
}

TEST_F(ConstraintsTest, ClosuresAreHeldAndTold) {
  const int32_t left = link(model, "l_hand"), right = link(model, "r_hand");
  const auto close = [&](int32_t first, int32_t second) {
    return tenon_constraints_add_closure(set.get(), first, nullptr, 0, second, nullptr, 0, &options, nullptr,
                                         message, sizeof message);
  };
  options.name = "clasp";
  options.rows = TENON_ROWS_HINGE;
  ASSERT_EQ(close(left, right), TENON_OK) << message;
  options.name = "rope";
  options.rows = TENON_ROWS_LINEAR;
  ASSERT_EQ(close(foot, TENON_WORLD), TENON_OK) << message;
  ASSERT_EQ(finish(), TENON_OK) << message;
  ASSERT_EQ(tenon_constraints_row_count(set.get()), 5 + 3);
  tenon_constraint_info info;
  ASSERT_EQ(tenon_constraint_info_init(&info, sizeof info), TENON_OK);
  const int32_t links[2][2] = {{left, right}, {foot, TENON_WORLD}};
  for (int32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(tenon_constraints_constraint_info(set.get(), i, &info), TENON_OK);
    EXPECT_EQ(info.closes_loop, 1);
    EXPECT_EQ(info.link, links[i][0]);
    EXPECT_EQ(info.second_link, links[i][1]);
  }

  const Workspace w = workspace(model, set);
  State s(model, w.get(), 5, 8);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  ASSERT_EQ(tenon_neutral(w.get(), s.q.data(), nq), TENON_OK);
  ASSERT_EQ(tenon_project_positions(w.get(), projection_to(1e-12, 50), s.q.data(), nq), TENON_OK)
      << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_project_velocities(w.get(), s.q.data(), nq, s.v.data(), nv), TENON_OK);
  ASSERT_EQ(tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, nullptr, 0), TENON_OK);
  double here[7], there[7];
  ASSERT_EQ(tenon_link_pose(w.get(), left, here, 7, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_link_pose(w.get(), right, there, 7, nullptr, 0), TENON_OK);
  for (int e = 0; e < 3; ++e) EXPECT_NEAR(here[e], there[e], 1e-11);
  ASSERT_EQ(tenon_link_pose(w.get(), foot, here, 7, nullptr, 0), TENON_OK);
  for (int e = 0; e < 3; ++e) EXPECT_NEAR(here[e], 0, 1e-11);
  ASSERT_EQ(s.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  std::vector<double> J(8 * nv), rhs(8), velocity(8);
  ASSERT_EQ(tenon_constraint_rows(w.get(), s.q.data(), nq, s.v.data(), nv, nullptr, 0, J.data(), J.size(), 8,
                                  rhs.data(), 8, nullptr, 0, velocity.data(), 8),
            TENON_OK);
  for (std::size_t i = 0; i < 8; ++i) {
    double acceleration = 0;
    for (std::size_t j = 0; j < nv; ++j) acceleration += J[i + 8 * j] * s.qdd[j];
    EXPECT_NEAR(acceleration, rhs[i], 1e-8);
    EXPECT_NEAR(velocity[i], 0, 1e-12);
  }

  tenon_solve_options solve;
  ASSERT_EQ(tenon_solve_options_init(&solve, sizeof solve), TENON_OK);
  solve.method = TENON_METHOD_CONSTRAINED_ABA;
  EXPECT_EQ(s.constrained(w.get(), &solve), TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("two moving links"), std::string::npos);
  EXPECT_EQ(tenon_workspace_set_anchor(w.get(), 0, here, 7), TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("closure"), std::string::npos);
}

TEST_F(ConstraintsTest, RefuseBadClosures) {
  const int32_t hand = link(model, "l_hand");
  const double off[7] = {0, 0, 0, 1, 0, 0, 1};
  const auto refused = [&](int32_t first, int32_t second, const double* pose, std::size_t count,
                           tenon_status expected, const char* word) {
    EXPECT_STREQ(
        tenon_status_string(tenon_constraints_add_closure(set.get(), first, nullptr, 0, second, pose, count,
                                                          &options, nullptr, message, sizeof message)),
        tenon_status_string(expected));
    EXPECT_TRUE(says(word)) << message;
    EXPECT_EQ(tenon_constraints_constraint_count(set.get()), 0);
  };
  refused(-3, hand, nullptr, 0, TENON_OUT_OF_RANGE, "-3");
  refused(hand, 1000, nullptr, 0, TENON_OUT_OF_RANGE, "second_link is 1000");
  refused(hand, hand, nullptr, 0, TENON_INVALID_ARGUMENT, "two links");
  refused(TENON_WORLD, TENON_WORLD, nullptr, 0, TENON_INVALID_ARGUMENT, "both TENON_WORLD");
  refused(hand, TENON_NONE, nullptr, 0, TENON_OUT_OF_RANGE, "second_link is -1");
  refused(hand, foot, off, 7, TENON_NOT_NORMALIZED, "second_pose");
  refused(hand, foot, off, 6, TENON_WRONG_SIZE, "second_pose");
  options.axes = TENON_AXES_WORLD;
  refused(hand, foot, nullptr, 0, TENON_UNSUPPORTED, "frame 1");
  options.axes = TENON_AXES_LINK;
  options.rows = 0;
  refused(hand, foot, nullptr, 0, TENON_INVALID_ARGUMENT, "rows");
  EXPECT_EQ(tenon_constraints_add_closure(nullptr, hand, nullptr, 0, foot, nullptr, 0, nullptr, nullptr,
                                          message, sizeof message),
            TENON_INVALID_ARGUMENT);
}

// Rows of K are read column-major, and so is J written, with gaps where the leading dimension leaves them.
TEST_F(ConstraintsTest, RowsReadAndWriteTheLayoutOfTheHeader) {
  const int32_t hand = link(model, "r_hand");
  double K[3 * 6] = {};
  for (std::size_t column = 0; column < 6; ++column) K[0 + 3 * column] = K[1 + 3 * column] = 77;
  for (std::size_t column = 0; column < 6; ++column) {
    K[0 + 3 * column] = column == 2 ? 1 : 0;
    K[1 + 3 * column] = column == 4 ? 2 : 0;
    K[2 + 3 * column] = 77;  // below the two rows: not read
  }
  ASSERT_EQ(
      tenon_constraints_add_rows(set.get(), hand, 2, K, 18, 3, nullptr, nullptr, message, sizeof message),
      TENON_OK)
      << message;
  ASSERT_EQ(finish(), TENON_OK);
  const Workspace w = workspace(model, set);
  const State s(model, w.get(), 3, 2);
  const std::size_t nv = s.v.size();
  std::vector<double> J(5 * nv, 77.0), link_J(6 * nv), row_velocity(2);
  ASSERT_EQ(tenon_constraint_rows(w.get(), s.q.data(), s.q.size(), s.v.data(), nv, nullptr, 0, J.data(),
                                  J.size(), 5, nullptr, 0, nullptr, 0, row_velocity.data(), 2),
            TENON_OK);
  ASSERT_EQ(tenon_kinematics(w.get(), s.q.data(), s.q.size(), s.v.data(), nv, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_link_jacobian(w.get(), hand, TENON_AXES_LINK, link_J.data(), link_J.size(), 6), TENON_OK);
  double velocity[2] = {0, 0};
  for (std::size_t j = 0; j < nv; ++j) {
    EXPECT_NEAR(J[5 * j], link_J[6 * j + 2], 1e-13);
    EXPECT_NEAR(J[5 * j + 1], 2 * link_J[6 * j + 4], 1e-13);
    for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(J[5 * j + i], 77.0);
    for (std::size_t i = 0; i < 2; ++i) velocity[i] += J[5 * j + i] * s.v[j];
  }
  EXPECT_NEAR(row_velocity[0], velocity[0], 1e-12);
  EXPECT_NEAR(row_velocity[1], velocity[1], 1e-12);
}

// M qdd + c = tau + J^T lambda and J qdd = rhs, every part of it asked for through the header.
TEST_F(ConstraintsTest, SolveSatisfiesBothEquations) {
  options.frequency = 10;
  ASSERT_EQ(weld(), TENON_OK);
  foot = link(model, "r_foot");
  options.axes = TENON_AXES_WORLD;
  ASSERT_EQ(point(), TENON_OK);
  ASSERT_EQ(finish(), TENON_OK);
  const Workspace w = workspace(model, set);
  State s(model, w.get(), 5, 9);
  const std::size_t nv = s.v.size();
  std::vector<double> J(9 * nv), rhs(9), c(nv), M(nv * nv), error(9);
  ASSERT_EQ(tenon_workspace_anchor_here(w.get(), s.q.data(), s.q.size()), TENON_OK);
  ASSERT_GE(s.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_constraint_rows(w.get(), s.q.data(), s.q.size(), s.v.data(), nv, nullptr, 0, J.data(),
                                  J.size(), 9, rhs.data(), 9, error.data(), 9, nullptr, 0),
            TENON_OK);
  ASSERT_EQ(tenon_bias(w.get(), s.q.data(), s.q.size(), s.v.data(), nv, nullptr, 0, c.data(), nv), TENON_OK);
  ASSERT_EQ(tenon_mass_matrix(w.get(), s.q.data(), s.q.size(), M.data(), M.size(), static_cast<int32_t>(nv)),
            TENON_OK);
  for (std::size_t i = 0; i < 9; ++i) {
    double acceleration = 0;
    for (std::size_t j = 0; j < nv; ++j) acceleration += J[i + 9 * j] * s.qdd[j];
    EXPECT_NEAR(acceleration, rhs[i], 1e-8);
    EXPECT_NEAR(error[i], 0, 1e-12);
  }
  for (std::size_t i = 0; i < nv; ++i) {
    double left = c[i], right = s.tau[i];
    for (std::size_t j = 0; j < nv; ++j) left += M[i + nv * j] * s.qdd[j];
    for (std::size_t j = 0; j < 9; ++j) right += J[j + 9 * i] * s.lambda[j];
    EXPECT_NEAR(left, right, 1e-6);
  }
  tenon_solve_report report;
  ASSERT_EQ(tenon_solve_report_init(&report, sizeof report), TENON_OK);
  ASSERT_EQ(tenon_workspace_report(w.get(), &report), TENON_OK);
  EXPECT_GE(report.iterations, 1);
  EXPECT_LT(report.primal_residual, 1e-6);
}

// Each method answers for itself on rows it can take; automatic tells whom it chose.
TEST_F(ConstraintsTest, ReportTellsWhichMethodAnswered) {
  ASSERT_EQ(weld(), TENON_OK);
  ASSERT_EQ(finish(), TENON_OK);
  const Workspace w = workspace(model, set);
  State s(model, w.get(), 5, 6);
  tenon_solve_report report;
  ASSERT_EQ(tenon_solve_report_init(&report, sizeof report), TENON_OK);
  ASSERT_EQ(tenon_workspace_report(w.get(), &report), TENON_OK);
  EXPECT_EQ(report.method, TENON_METHOD_AUTOMATIC) << "nothing was solved yet";
  tenon_solve_options solve;
  ASSERT_EQ(tenon_solve_options_init(&solve, sizeof solve), TENON_OK);
  for (int32_t method = TENON_METHOD_AUTOMATIC; method < tenon_constant_count(TENON_CONSTANT_METHOD);
       ++method) {
    solve.method = method;
    ASSERT_EQ(s.constrained(w.get(), &solve), TENON_OK);
    ASSERT_EQ(tenon_workspace_report(w.get(), &report), TENON_OK);
    if (method == TENON_METHOD_AUTOMATIC) {
      EXPECT_GT(report.method, TENON_METHOD_AUTOMATIC);
      EXPECT_LT(report.method, tenon_constant_count(TENON_CONSTANT_METHOD));
    } else {
      EXPECT_EQ(report.method, method);
    }
    if (method == TENON_METHOD_PV || method == TENON_METHOD_PV_EARLY) {
      EXPECT_EQ(report.rank, 6);
    }
  }
}

TEST_F(ConstraintsTest, AnchorsAreReadBackAsSet) {
  ASSERT_EQ(weld(), TENON_OK);
  ASSERT_EQ(finish(), TENON_OK);
  const Workspace w = workspace(model, set);
  const double half = std::sqrt(0.5);
  const double poses[][7] = {{1, 2, 3, 0, 0, 0, 1},          {1, 2, 3, half, 0, half, 0},
                             {1, 2, 3, 0.5, -0.5, 0.5, 0.5}, {1, 2, 3, 0.6, 0, 0, -0.8},
                             {0, 0, 0, 0, 1, 0, 0},          {0, 0, 0, 0, 0.8, -0.6, 0}};
  for (const auto& pose : poses) {
    double back[7] = {};
    ASSERT_EQ(tenon_workspace_set_anchor(w.get(), 0, pose, 7), TENON_OK);
    ASSERT_EQ(tenon_workspace_anchor(w.get(), 0, back, 7), TENON_OK);
    const double same = std::inner_product(pose + 3, pose + 7, back + 3, 0.0);
    EXPECT_NEAR(std::abs(same), 1, 1e-14);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(back[i], pose[i]);
  }
}

}  // namespace
