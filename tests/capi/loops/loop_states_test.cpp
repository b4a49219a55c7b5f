// States of kinematic loops through tenon.h: how far loops are open, assemblies, coordinates and the maps between
// them.
#include <algorithm>
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

TEST(CapiLoops, ChecksAStateAndNamesTheWorstLoop) {
  Model model = load("cassie", TENON_BASE_FLOATING);
  Workspace w = workspace(model);
  std::vector<double> q(static_cast<size_t>(tenon_model_nq(model.get()))),
      v(static_cast<size_t>(tenon_model_nv(model.get())));
  ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), q.size()), TENON_OK);
  tenon_loop_state state;
  ASSERT_EQ(tenon_loop_state_init(&state, sizeof state), TENON_OK);
  ASSERT_EQ(tenon_check_loops(w.get(), q.data(), q.size(), v.data(), v.size(), &state), TENON_OK);
  EXPECT_LE(state.position_gap, 1e-9);
  EXPECT_EQ(state.velocity_gap, 0);
  // A joint of the last cluster moved by itself opens a loop of that cluster.
  tenon_cluster_info cluster;
  ASSERT_EQ(tenon_cluster_info_init(&cluster, sizeof cluster), TENON_OK);
  ASSERT_EQ(tenon_model_cluster_info(model.get(), tenon_model_cluster_count(model.get()) - 1, &cluster),
            TENON_OK);
  q[static_cast<size_t>(cluster.q_index)] += 0.01;
  v[static_cast<size_t>(cluster.v_index)] = 1;
  ASSERT_EQ(tenon_check_loops(w.get(), q.data(), q.size(), v.data(), v.size(), &state), TENON_OK);
  EXPECT_GT(state.position_gap, 1e-6);
  EXPECT_GT(state.velocity_gap, 1e-4);
  EXPECT_GE(state.position_loop, cluster.first_loop);
  EXPECT_GE(state.velocity_loop, cluster.first_loop);
  EXPECT_EQ(tenon_check_loops(w.get(), q.data(), q.size(), nullptr, 0, nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_check_loops(w.get(), q.data(), 3, nullptr, 0, &state), TENON_WRONG_SIZE);
}

TEST(CapiLoops, FindsEveryAssembly) {
  Model model = load("four_bar");
  Workspace w = workspace(model);
  const double q[3] = {0.6, -0.6, 0.6};
  double found[12];
  int32_t count = 0;
  ASSERT_EQ(tenon_find_assemblies(w.get(), assemblies_from(20), q, 3, 4, found, 12, &count), TENON_OK);
  EXPECT_EQ(count, 2);
  EXPECT_NEAR(found[1], -0.6, 1e-12);
  EXPECT_GT(std::abs(found[4] + 0.6), 0.1);
  EXPECT_EQ(tenon_find_assemblies(w.get(), assemblies_from(0), q, 3, 4, found, 12, &count),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_find_assemblies(w.get(), assemblies_from(20), q, 3, 4, found, 11, &count),
            TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_find_assemblies(w.get(), assemblies_from(20), q, 3, 4, found, 12, nullptr),
            TENON_INVALID_ARGUMENT);
}

TEST(CapiLoops, CoordinatesAreSetAndTold) {
  Model model = load("four_bar");
  Workspace w = workspace(model);
  EXPECT_EQ(tenon_workspace_position_count(w.get()), 3);
  EXPECT_EQ(tenon_workspace_velocity_count(w.get()), 3);
  EXPECT_EQ(tenon_workspace_set_coordinates(w.get(), 2, 0), TENON_INVALID_ARGUMENT);
  ASSERT_EQ(
      tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT),
      TENON_OK);
  int32_t positions = 7, velocities = 7;
  ASSERT_EQ(tenon_workspace_coordinates(w.get(), &positions, &velocities), TENON_OK);
  EXPECT_EQ(positions, TENON_COORDINATES_SPANNING);
  EXPECT_EQ(velocities, TENON_COORDINATES_INDEPENDENT);
  EXPECT_EQ(tenon_workspace_velocity_count(w.get()), 1);
  const double q[3] = {0.6, -0.6, 0.6}, v[3] = {1, -1, 1};
  double c[3];
  EXPECT_EQ(tenon_bias(w.get(), q, 3, v, 1, nullptr, 0, c, 1), TENON_OK) << tenon_workspace_message(w.get());
  // A count that fits the other coordinates is told apart from one that fits none.
  EXPECT_EQ(tenon_bias(w.get(), q, 3, v, 3, nullptr, 0, c, 3), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("independent ones, of which there are 1"),
            std::string::npos)
      << tenon_workspace_message(w.get());
  EXPECT_EQ(tenon_bias(w.get(), q, 3, v, 2, nullptr, 0, c, 1), TENON_WRONG_SIZE);
  EXPECT_EQ(std::string(tenon_workspace_message(w.get())).find("independent"), std::string::npos);
  // What was computed in other coordinates is no longer there.
  ASSERT_EQ(tenon_kinematics(w.get(), q, 3, v, 1, nullptr, 0), TENON_OK);
  ASSERT_EQ(
      tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_INDEPENDENT, TENON_COORDINATES_INDEPENDENT),
      TENON_OK);
  double J[6];
  EXPECT_EQ(tenon_link_jacobian(w.get(), 1, TENON_AXES_LINK, J, 6, 6), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_bias(w.get(), q, 1, v, 1, nullptr, 0, c, 1), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_EQ(tenon_workspace_set_guess(w.get(), q, 1), TENON_WRONG_SIZE);
  EXPECT_STREQ(tenon_status_string(TENON_OPEN_LOOP), "open_loop");
  EXPECT_EQ(tenon_workspace_position_count(nullptr), TENON_INVALID_ARGUMENT);
}

// The forces that keep every dependent joint idle do what the forces on all joints do.
TEST(CapiLoops, MapsGoBothWays) {
  Model model = load("six_bar");
  Workspace w = workspace(model);
  const size_t nv = 5, ny = static_cast<size_t>(tenon_model_ny(model.get()));
  std::vector<double> q(nv), v(nv), ydot(ny, 0.5), back(ny), tau = {1, 2, 3, 4, 5}, tau_y(ny), idle(nv),
                                                             x(nv), z(nv);
  ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), nv), TENON_OK);
  ASSERT_EQ(tenon_spanning_velocity(w.get(), q.data(), nv, ydot.data(), ny, v.data(), nv), TENON_OK);
  ASSERT_EQ(tenon_independent_velocity(w.get(), v.data(), nv, back.data(), ny), TENON_OK);
  EXPECT_EQ(back, ydot);
  ASSERT_EQ(tenon_independent_force(w.get(), q.data(), nv, tau.data(), nv, tau_y.data(), ny), TENON_OK);
  ASSERT_EQ(tenon_spanning_force(w.get(), tau_y.data(), ny, idle.data(), nv), TENON_OK);
  ASSERT_EQ(tenon_independent_force(w.get(), q.data(), nv, idle.data(), nv, back.data(), ny), TENON_OK);
  for (size_t i = 0; i < ny; ++i) EXPECT_NEAR(back[i], tau_y[i], 1e-14);
  ASSERT_EQ(
      tenon_forward_dynamics(w.get(), q.data(), nv, v.data(), nv, tau.data(), nv, nullptr, 0, x.data(), nv),
      TENON_OK);
  ASSERT_EQ(
      tenon_forward_dynamics(w.get(), q.data(), nv, v.data(), nv, idle.data(), nv, nullptr, 0, z.data(), nv),
      TENON_OK);
  for (size_t i = 0; i < nv; ++i) EXPECT_NEAR(x[i], z[i], 1e-9 * (1 + std::abs(x[i])));
}
