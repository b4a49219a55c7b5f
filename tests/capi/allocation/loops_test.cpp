// No computation on a model with kinematic loops allocates, but those that say "at the first call" the first time.
#include <algorithm>
#include <cmath>

#include "fixture.hpp"

using namespace tenon_test;

namespace {

TEST_F(Allocation, NoneWithKinematicLoops) {
  Model cassie = load("cassie", TENON_BASE_FLOATING);
  Workspace loops = workspace(cassie, nullptr);
  State s(cassie, loops.get(), 1, 0);
  w = std::move(loops);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const std::size_t ny = static_cast<std::size_t>(tenon_model_ny(cassie.get()));
  const std::size_t nyq = static_cast<std::size_t>(tenon_model_nyq(cassie.get()));
  const std::size_t rows = static_cast<std::size_t>(tenon_model_loop_row_count(cassie.get()));
  std::vector<double> y(nyq), ydot(ny, 0.1), G(nv * ny), K(rows * nv), k(rows), x(nv);
  double gap = 0;
  expect_none("close_loops", [&] {
    return tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), s.q.data(), nq, &gap);
  });
  expect_none("close_loops all", [&] {
    return tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_ALL), s.q.data(), nq, &gap);
  });
  expect_none("loop_gap", [&] { return tenon_loop_gap(w.get(), s.q.data(), nq, &gap); });
  expect_none("independent_positions",
              [&] { return tenon_independent_position(w.get(), s.q.data(), nq, y.data(), nyq); });
  expect_none("spanning_positions",
              [&] { return tenon_spanning_position(w.get(), y.data(), nyq, nullptr, 0, s.q.data(), nq); });
  expect_none("spanning_velocity", [&] {
    return tenon_spanning_velocity(w.get(), s.q.data(), nq, ydot.data(), ny, s.v.data(), nv);
  });
  expect_none_later("close_loop_velocities", [&] {
    return tenon_close_loop_velocities(w.get(), closing_by(TENON_LOOP_MOVES_ALL), s.q.data(), nq, s.v.data(),
                                       nv);
  });
  expect_none("spanning_acceleration", [&] {
    return tenon_spanning_acceleration(w.get(), s.q.data(), nq, s.v.data(), nv, ydot.data(), ny, x.data(),
                                       nv);
  });
  expect_none("independent_force", [&] {
    return tenon_independent_force(w.get(), s.q.data(), nq, s.tau.data(), nv, ydot.data(), ny);
  });
  expect_none("loop_map", [&] {
    return tenon_loop_map(w.get(), s.q.data(), nq, s.v.data(), nv, G.data(), nv * ny,
                          static_cast<int32_t>(nv), x.data(), nv);
  });
  expect_none("loop_jacobian", [&] {
    return tenon_loop_jacobian(w.get(), s.q.data(), nq, s.v.data(), nv, K.data(), rows * nv,
                               static_cast<int32_t>(rows), k.data(), rows, k.data(), rows);
  });
  tenon_loop_state state;
  ASSERT_EQ(tenon_loop_state_init(&state, sizeof state), TENON_OK);
  expect_none("check_loops",
              [&] { return tenon_check_loops(w.get(), s.q.data(), nq, s.v.data(), nv, &state); });
  std::vector<double> ways(2 * nq);
  int32_t found = 0;
  expect_none("find_assemblies", [&] {
    return tenon_find_assemblies(w.get(), assemblies_from(2), s.q.data(), nq, 2, ways.data(), 2 * nq, &found);
  });
  expect_none("independent_velocity",
              [&] { return tenon_independent_velocity(w.get(), s.v.data(), nv, ydot.data(), ny); });
  expect_none("spanning_force", [&] { return tenon_spanning_force(w.get(), ydot.data(), ny, x.data(), nv); });
  expect_none("forward_dynamics", [&] {
    return tenon_forward_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                                  x.data(), nv);
  });
#ifdef TENON_EXPERIMENTAL
  for (int32_t method = TENONX_LOOP_METHOD_AUTOMATIC; method <= TENONX_LOOP_METHOD_UNCONSTRAINED; ++method) {
    SCOPED_TRACE(method);
    expect_none_later("loop_forward_dynamics", [&] {
      return tenonx_loop_forward_dynamics(w.get(), method, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                          nullptr, 0, x.data(), nv);
    });
    if (method == TENONX_LOOP_METHOD_MULTIPLIERS) continue;
    expect_none_later("loop_inverse_dynamics", [&] {
      return tenonx_loop_inverse_dynamics(w.get(), method, s.q.data(), nq, s.v.data(), nv, ydot.data(), ny,
                                          nullptr, 0, ydot.data(), ny);
    });
  }
#endif
}

// Every computation that takes or returns coordinates, in independent ones.
TEST_F(Allocation, NoneInIndependentCoordinates) {
  Model cassie = load("cassie", TENON_BASE_FLOATING);
  Constraints feet =
      welds(cassie, {tenon_model_link_name(cassie.get(), tenon_model_link_count(cassie.get()) - 1)});
  w = workspace(cassie, feet);
  const std::size_t whole = static_cast<std::size_t>(tenon_model_nq(cassie.get()));
  std::vector<double> guess(whole), every(static_cast<std::size_t>(tenon_model_nv(cassie.get())));
  expect_none("guess", [&] { return tenon_workspace_guess(w.get(), guess.data(), whole); });
  for (const int32_t positions : {TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT}) {
    expect_none("set_coordinates", [&] {
      return tenon_workspace_set_coordinates(w.get(), positions, TENON_COORDINATES_INDEPENDENT);
    });
    expect_none("set_guess", [&] { return tenon_workspace_set_guess(w.get(), guess.data(), whole); });
    const std::size_t nq = static_cast<std::size_t>(tenon_workspace_position_count(w.get()));
    const std::size_t nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get()));
    const auto ld = static_cast<int32_t>(nv);
    std::vector<double> q = guess, v(nv, 0.1), tau(nv, 1), x(nv), next(nq), M(nv * nv), J(6 * nv), lambda(6);
    if (positions == TENON_COORDINATES_INDEPENDENT) {
      q.resize(nq);
      ASSERT_EQ(tenon_independent_position(w.get(), guess.data(), whole, q.data(), nq), TENON_OK);
    }
    const double *qp = q.data(), *vp = v.data(), *tp = tau.data();
    double *xp = x.data(), pose[7];
    expect_none("integrate", [&] { return tenon_integrate(w.get(), qp, nq, vp, nv, 1e-3, next.data(), nq); });
    expect_none("difference", [&] { return tenon_difference(w.get(), qp, nq, next.data(), nq, xp, nv); });
    expect_none("normalize", [&] { return tenon_normalize(w.get(), next.data(), nq); });
    expect_none("random", [&] { return tenon_random(w.get(), 4, next.data(), nq); });
    expect_none("neutral", [&] { return tenon_neutral(w.get(), next.data(), nq); });
    expect_none("kinematics", [&] { return tenon_kinematics(w.get(), qp, nq, vp, nv, tp, nv); });
    expect_none("jacobian", [&] { return tenon_link_jacobian(w.get(), 9, 0, J.data(), J.size(), 6); });
    expect_none("center_of_mass",
                [&] { return tenon_center_of_mass(w.get(), pose, 3, pose, 3, J.data(), J.size(), 3); });
    expect_none("inverse_dynamics",
                [&] { return tenon_inverse_dynamics(w.get(), qp, nq, vp, nv, tp, nv, nullptr, 0, xp, nv); });
    expect_none("bias", [&] { return tenon_bias(w.get(), qp, nq, vp, nv, nullptr, 0, xp, nv); });
    expect_none("gravity_force", [&] { return tenon_gravity_force(w.get(), qp, nq, xp, nv); });
    expect_none_later("coriolis_matrix",
                      [&] { return tenon_coriolis_matrix(w.get(), qp, nq, vp, nv, M.data(), M.size(), ld); });
    expect_none("constrained_inverse_dynamics", [&] {
      return tenon_constrained_inverse_dynamics(w.get(), qp, nq, vp, nv, tp, nv, nullptr, 0, lambda.data(), 6,
                                                xp, nv);
    });
    expect_none_later("underactuated_inverse_dynamics", [&] {
      return tenon_underactuated_inverse_dynamics(w.get(), nullptr, 0, qp, nq, vp, nv, tp, nv, nullptr, 0,
                                                  lambda.data(), 6, xp, nv);
    });
    std::vector<double> hit(nv, 0.1);
    expect_none_later("impact", [&] {
      return tenon_impact(w.get(), nullptr, 0, qp, nq, hit.data(), nv, lambda.data(), 6);
    });
    expect_none_later("impact_derivatives", [&] {
      return tenon_impact_derivatives(w.get(), nullptr, nullptr, 0, qp, nq, vp, nv, xp, nv, lambda.data(), 6,
                                      M.data(), M.size(), ld, nullptr, 0, 0, J.data(), J.size(), 6, nullptr,
                                      0, 0);
    });
    expect_none_later("constrained_dynamics_hessian", [&] {
      return tenon_constrained_dynamics_hessian(w.get(), nullptr, qp, nq, vp, nv, tp, nv, nullptr, 0, nullptr,
                                                0, tp, nv, nullptr, 0, M.data(), M.size(), ld, nullptr, 0, 0,
                                                nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0);
    });
    expect_none_later("constrained_dynamics_hvp", [&] {
      return tenon_constrained_dynamics_hvp(w.get(), nullptr, qp, nq, vp, nv, tp, nv, nullptr, 0, nullptr, 0,
                                            tp, nv, nullptr, 0, vp, nv, vp, nv, nullptr, 0, nullptr, 0, xp,
                                            nv, nullptr, 0, nullptr, 0, nullptr, 0);
    });
    expect_none_later("inverse_dynamics_hvp", [&] {
      return tenon_inverse_dynamics_hvp(w.get(), nullptr, qp, nq, vp, nv, tp, nv, nullptr, 0, tp, nv, vp, nv,
                                        vp, nv, nullptr, 0, xp, nv, nullptr, 0, nullptr, 0);
    });
    expect_none("impact_vjp", [&] {
      return tenon_impact_vjp(w.get(), nullptr, nullptr, 0, qp, nq, vp, nv, tp, nv, nullptr, 0, nullptr, 0,
                              nullptr, 0, xp, nv, nullptr, 0);
    });
    expect_none("impact_jvp", [&] {
      return tenon_impact_jvp(w.get(), nullptr, nullptr, 0, qp, nq, vp, nv, vp, nv, vp, nv, nullptr, 0,
                              nullptr, 0, xp, nv, lambda.data(), 6);
    });
    expect_none("kinematics", [&] { return tenon_kinematics(w.get(), qp, nq, vp, nv, nullptr, 0); });
    expect_none("point_jacobian",
                [&] { return tenon_point_jacobian(w.get(), 9, nullptr, 0, 0, J.data(), J.size(), 6); });
    expect_none("point_bias_acceleration",
                [&] { return tenon_point_bias_acceleration(w.get(), 9, nullptr, 0, 0, pose, 6); });
    expect_none("link_bias_acceleration",
                [&] { return tenon_link_bias_acceleration(w.get(), 9, 0, pose, 6); });
    expect_none_later("centroidal_momentum_matrix",
                      [&] { return tenon_centroidal_momentum_matrix(w.get(), J.data(), J.size(), 6); });
    expect_none("centroidal_momentum_bias", [&] { return tenon_centroidal_momentum_bias(w.get(), pose, 6); });
    expect_none_later("mass_matrix",
                      [&] { return tenon_mass_matrix(w.get(), qp, nq, M.data(), M.size(), ld); });
    expect_none_later("factor", [&] { return tenon_mass_matrix_factor(w.get(), qp, nq); });
    expect_none("solve", [&] { return tenon_mass_matrix_solve(w.get(), 1, tp, nv, ld, xp, nv, ld); });
    expect_none("multiply", [&] { return tenon_mass_matrix_multiply(w.get(), 1, tp, nv, ld, xp, nv, ld); });
    expect_none_later("mass_matrix_inverse_times", [&] {
      return tenon_mass_matrix_inverse_times(w.get(), qp, nq, 1, tp, nv, ld, xp, nv, ld);
    });
    expect_none("forward_dynamics",
                [&] { return tenon_forward_dynamics(w.get(), qp, nq, vp, nv, tp, nv, nullptr, 0, xp, nv); });
    expect_none("anchor_here", [&] { return tenon_workspace_anchor_here(w.get(), qp, nq); });
    expect_none("constraint_rows", [&] {
      return tenon_constraint_rows(w.get(), qp, nq, vp, nv, nullptr, 0, J.data(), J.size(), 6, lambda.data(),
                                   6, nullptr, 0, nullptr, 0);
    });
    for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
      SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_METHOD, method));
      tenon_solve_options options;
      ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
      options.method = method;
      const auto solve = [&] {
        return tenon_constrained_dynamics(w.get(), &options, qp, nq, vp, nv, tp, nv, nullptr, 0, nullptr, 0,
                                          xp, nv, lambda.data(), 6);
      };
      if (solve() == TENON_UNSUPPORTED) continue;
      expect_none("constrained_dynamics", solve);
    }
    for (auto* step : {tenon_step_semi_implicit_euler, tenon_step_runge_kutta_4})
      expect_none("step", [&] {
        return step(w.get(), nullptr, 1e-4, q.data(), nq, v.data(), nv, tp, nv, nullptr, 0, xp, nv, nullptr,
                    0);
      });
    for (const int32_t way : {TENON_DIRECTION_TO_OTHER, TENON_DIRECTION_FROM_OTHER})
      expect_none("convert_force", [&] {
        return way == TENON_DIRECTION_TO_OTHER
                   ? tenon_convert_force(w.get(), TENON_CONVENTION_DRAKE, way, nullptr, 0, qp, nq, tp, nv,
                                         every.data(), every.size())
                   : tenon_convert_force(w.get(), TENON_CONVENTION_DRAKE, way, nullptr, 0, qp, nq,
                                         every.data(), every.size(), xp, nv);
      });
  }
}

// Contacts on a robot with geared rotors, most of which fold into their carriers.
TEST_F(Allocation, NoneAcrossClusters) {
  Model cheetah = load("mini_cheetah", TENON_BASE_FLOATING);
  Constraints feet = constraints(cheetah);
  for (const char* name : {"FR_knee_link", "HL_knee_link"})
    ASSERT_EQ(tenon_constraints_add_point(feet.get(), link(cheetah, name), nullptr, 0, nullptr, nullptr,
                                          nullptr, 0),
              TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(feet.get(), nullptr, 0), TENON_OK);
  w = workspace(cheetah, feet);
  State s(cheetah, w.get(), 1, 6);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const int32_t ld = static_cast<int32_t>(nv);
  std::vector<double> A(36), J_bar(6 * nv), N(nv * nv);
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    tenon_solve_options options;
    ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = method;
    expect_none_later(tenon_constant_name(TENON_CONSTANT_METHOD, method),
                      [&] { return s.constrained(w.get(), &options); });
  }
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method)
    expect_none_later(tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method), [&] {
      return tenon_delassus(w.get(), delassus_by(method), s.q.data(), nq, A.data(), 36, 6);
    });
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    const char* name = tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method);
    expect_none_later(name, [&] {
      return tenon_delassus_inverse(w.get(), damped_by(method), s.q.data(), nq, A.data(), 36, 6);
    });
    expect_none(name, [&] { return tenon_delassus_factor(w.get(), damped_by(method), s.q.data(), nq); });
    expect_none(name, [&] { return tenon_delassus_solve(w.get(), 6, A.data(), 36, 6, A.data(), 36, 6); });
  }
  expect_none_later("operational_space", [&] {
    return tenon_operational_space(w.get(), s.q.data(), nq, A.data(), 36, 6, J_bar.data(), J_bar.size(), ld,
                                   N.data(), N.size(), ld, nullptr);
  });
  expect_none_later("mass_matrix_inverse_times", [&] {
    return tenon_mass_matrix_inverse_times(w.get(), s.q.data(), nq, 6, J_bar.data(), J_bar.size(), ld,
                                           J_bar.data(), J_bar.size(), ld);
  });
  expect_none_later("mass_matrix_factor", [&] { return tenon_mass_matrix_factor(w.get(), s.q.data(), nq); });
  expect_none("mass_matrix_solve", [&] {
    return tenon_mass_matrix_solve(w.get(), 6, J_bar.data(), J_bar.size(), ld, J_bar.data(), J_bar.size(),
                                   ld);
  });
  expect_none_later("project_velocities",
                    [&] { return tenon_project_velocities(w.get(), s.q.data(), nq, s.v.data(), nv); });
  std::vector<double> by_ratios(static_cast<std::size_t>(tenon_model_ratio_count(cheetah.get())));
  ASSERT_FALSE(by_ratios.empty());
  expect_none_later("constrained_dynamics_ratio_vjp", [&] {
    return tenon_constrained_dynamics_ratio_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv,
                                                s.tau.data(), nv, nullptr, 0, nullptr, 0, s.tau.data(), nv,
                                                nullptr, 0, by_ratios.data(), by_ratios.size());
  });
}

// Cassie with its loops closed by rows, and a foot held.
TEST_F(Allocation, NoneWithLoopsByRows) {
  tenon_model_options rods;
  ASSERT_EQ(tenon_model_options_init(&rods, sizeof rods), TENON_OK);
  rods.base = TENON_BASE_FLOATING;
  rods.loop_treatment = TENON_LOOP_TREATMENT_ROWS;
  tenon_model* made = nullptr;
  ASSERT_EQ(tenon_model_load_urdf(model_path("cassie").c_str(), &rods, &made, nullptr, 0), TENON_OK);
  Model cassie(made);
  Constraints held = constraints(cassie);
  ASSERT_EQ(tenon_constraints_add_weld(held.get(), link(cassie, "left-foot"), nullptr, 0, nullptr, nullptr,
                                       nullptr, 0),
            TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(held.get(), nullptr, 0), TENON_OK);
  const std::size_t rows = static_cast<std::size_t>(tenon_constraints_row_count(held.get()));
  EXPECT_GT(rows, 6u);
  Workspace both = workspace(cassie, held);
  State s(cassie, both.get(), 1, rows);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  std::vector<double> qdd(nv);
  double gap = 0;
  expect_none("close_loops", [&] {
    return tenon_close_loops(both.get(), closing_by(TENON_LOOP_MOVES_ALL), s.q.data(), nq, &gap);
  });
  expect_none("loop_gap", [&] { return tenon_loop_gap(both.get(), s.q.data(), nq, &gap); });
  tenon_loop_state state;
  ASSERT_EQ(tenon_loop_state_init(&state, sizeof state), TENON_OK);
  expect_none("check_loops",
              [&] { return tenon_check_loops(both.get(), s.q.data(), nq, s.v.data(), nv, &state); });
  expect_none("set_guess", [&] { return tenon_workspace_set_guess(both.get(), s.q.data(), nq); });
  expect_none("guess", [&] { return tenon_workspace_guess(both.get(), s.q.data(), nq); });
#ifdef TENON_EXPERIMENTAL
  expect_none_later("loop_forward_dynamics", [&] {
    return tenonx_loop_forward_dynamics(both.get(), TENONX_LOOP_METHOD_PROJECTION, s.q.data(), nq, s.v.data(),
                                        nv, s.tau.data(), nv, nullptr, 0, qdd.data(), nv);
  });
#endif
  expect_none_later("close_loop_velocities", [&] {
    return tenon_close_loop_velocities(both.get(), closing_by(TENON_LOOP_MOVES_ALL), s.q.data(), nq,
                                       s.v.data(), nv);
  });
  expect_none("forward_dynamics", [&] {
    return tenon_forward_dynamics(both.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                                  qdd.data(), nv);
  });
  tenon_solve_options options;
  ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
  expect_none("constrained_dynamics", [&] { return s.constrained(both.get(), &options); });
}

}  // namespace
