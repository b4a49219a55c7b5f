// No computation on a workspace allocates, but those that say "at the first call" the first time. malloc and its
// kin are replaced (hooks.cpp). Every call of tenon.h that takes a workspace is made once under watch,
// good and bad, with every method this version has.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace tenon_test;

namespace {

TEST_F(Allocation, TheHooksSeeTheLibraryAllocate) {
  for (const bool create : {true, false}) {
    allocations = releases = 0;
    watching = true;
    tenon_workspace* made = nullptr;
    if (create) tenon_workspace_create(model.get(), set.get(), nullptr, &made, nullptr, 0);
    watching = false;
    EXPECT_EQ(allocations > 0, create);
    tenon_workspace_destroy(made);
  }
}

// Of what a workspace is made with, and of what later calls add.
TEST_F(Allocation, BytesOfAWorkspaceAreThoseItAllocates) {
  Model cassie = load("cassie", TENON_BASE_FLOATING);
  for (const bool loops : {false, true}) {
    const Model& robot = loops ? cassie : model;
    SCOPED_TRACE(tenon_model_name(robot.get()));
    tenon_workspace* made = nullptr;
    const auto expect_counted = [&] {
      const double bytes = static_cast<double>(tenon_workspace_size_bytes(made));
      EXPECT_NEAR(bytes, static_cast<double>(live_bytes), 0.03 * bytes);
    };
    live_bytes = 0;
    watching = true;
    tenon_workspace_create(robot.get(), loops ? nullptr : set.get(), nullptr, &made, nullptr, 0);
    watching = false;
    expect_counted();
    State s(robot, made, 1, 19);
    watching = true;
    for (int32_t method = 0; !loops && method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
      tenon_solve_options options;
      tenon_solve_options_init(&options, sizeof options);
      options.method = method;
      s.constrained(made, &options);
    }
    tenon_mass_matrix_factor(made, s.q.data(), s.q.size());
    watching = false;
    expect_counted();
    tenon_workspace_destroy(made);
  }
}

// A solve by default, on a workspace that has done nothing before.
TEST_F(Allocation, NoneInTheFirstAutomaticSolve) {
  State s(model, w.get(), 1, 19);
  w = workspace(model, set);
  expect_none("constrained_dynamics", [&] { return s.constrained(w.get()); });
  w = workspace(model, set);
  expect_none("forward_dynamics", [&] { return s.forward(w.get()); });
  w = workspace(model, set);
  expect_none("step", [&] {
    return tenon_step_semi_implicit_euler(w.get(), nullptr, 1e-3, s.q.data(), s.q.size(), s.v.data(),
                                          s.v.size(), s.tau.data(), s.tau.size(), nullptr, 0, nullptr, 0,
                                          nullptr, 0);
  });
}

// Where memory is lacking the first call says so and writes nothing, and the next one works.
TEST_F(Allocation, FirstCallsWithoutMemory) {
  State s(model, w.get(), 1, 19);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const auto ld = static_cast<int32_t>(nv);
  std::vector<double> A(19 * 19), X(nv);
  const auto expect_failure = [&](const char* name, std::vector<double>& out, const auto& call) {
    w = workspace(model, set);
    std::fill(out.begin(), out.end(), 77.0);
    failing = true;
    const tenon_status status = call();
    failing = false;
    EXPECT_EQ(status, TENON_OUT_OF_MEMORY) << name;
    EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("memory"), std::string::npos) << name;
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](double x) { return x == 77; })) << name;
    EXPECT_GE(call(), TENON_OK) << name << ": " << tenon_workspace_message(w.get());
    EXPECT_STREQ(tenon_workspace_message(w.get()), "") << name;
  };
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method)
    expect_failure(tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method), A, [&] {
      return tenon_delassus(w.get(), delassus_by(method), s.q.data(), nq, A.data(), A.size(), 19);
    });
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method)
    expect_failure(tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method), A, [&] {
      return tenon_delassus_inverse(w.get(), damped_by(method), s.q.data(), nq, A.data(), A.size(), 19);
    });
  expect_failure("operational_space", A, [&] {
    return tenon_operational_space(w.get(), s.q.data(), nq, A.data(), A.size(), 19, nullptr, 0, 0, nullptr, 0,
                                   0, nullptr);
  });
  std::vector<double> C(nv * nv);
  expect_failure("coriolis_matrix", C, [&] {
    return tenon_coriolis_matrix(w.get(), s.q.data(), nq, s.v.data(), nv, C.data(), C.size(), ld);
  });
  expect_failure("forward_dynamics_derivatives", C, [&] {
    return tenon_forward_dynamics_derivatives(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(),
                                              nv, nullptr, 0, nullptr, 0, C.data(), C.size(), ld, nullptr, 0,
                                              0, nullptr, 0, 0);
  });
  std::vector<double> six(6 * nv);
  expect_failure("point_velocity_derivatives", six, [&] {
    const tenon_status moved = tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, nullptr, 0);
    return moved != TENON_OK
               ? moved
               : tenon_point_velocity_derivatives(w.get(), nullptr, 3, nullptr, 0, TENON_AXES_LINK,
                                                  six.data(), six.size(), 6, nullptr, 0, 0);
  });
  expect_failure("centroidal_momentum_matrix", six, [&] {
    const tenon_status moved = tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, nullptr, 0);
    return moved != TENON_OK ? moved : tenon_centroidal_momentum_matrix(w.get(), six.data(), six.size(), 6);
  });
  expect_failure("mass_matrix_factor", A, [&] { return tenon_mass_matrix_factor(w.get(), s.q.data(), nq); });
  expect_failure("mass_matrix_inverse_times", X, [&] {
    return tenon_mass_matrix_inverse_times(w.get(), s.q.data(), nq, 1, s.tau.data(), nv, ld, X.data(), nv,
                                           ld);
  });
  for (const int32_t method :
       {TENON_METHOD_PV, TENON_METHOD_PROX_LTL, TENON_METHOD_PV_EARLY, TENON_METHOD_PROX_LTLS}) {
    tenon_solve_options options;
    ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = method;
    w = workspace(model, set);
    failing = true;
    const tenon_status status = s.constrained(w.get(), &options);
    failing = false;
    // Nothing fails for the method that automatic takes, whose memory is there.
    EXPECT_TRUE(status == TENON_OUT_OF_MEMORY || status >= TENON_OK)
        << tenon_constant_name(TENON_CONSTANT_METHOD, method);
    EXPECT_GE(s.constrained(w.get(), &options), TENON_OK) << tenon_workspace_message(w.get());
  }
}

TEST_F(Allocation, NoneInConfigurationAndKinematics) {
  State s(model, w.get(), 1, 19);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  std::vector<double> next(nq), six(6 * nv);
  double pose[7], rotation[9], kinetic, potential;
  expect_none("neutral", [&] { return tenon_neutral(w.get(), next.data(), nq); });
  expect_none("random", [&] { return tenon_random(w.get(), 4, next.data(), nq); });
  expect_none("normalize", [&] { return tenon_normalize(w.get(), next.data(), nq); });
  expect_none("integrate",
              [&] { return tenon_integrate(w.get(), s.q.data(), nq, s.v.data(), nv, 0.1, next.data(), nq); });
  expect_none("difference",
              [&] { return tenon_difference(w.get(), s.q.data(), nq, next.data(), nq, s.qdd.data(), nv); });
  expect_none("kinematics",
              [&] { return tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv); });
  expect_none("link_pose", [&] { return tenon_link_pose(w.get(), 3, pose, 7, rotation, 9); });
  expect_none("link_velocity", [&] { return tenon_link_velocity(w.get(), 3, TENON_AXES_WORLD, pose, 6); });
  expect_none("link_acceleration",
              [&] { return tenon_link_acceleration(w.get(), 3, TENON_AXES_LINK, pose, 6); });
  expect_none("jacobian",
              [&] { return tenon_link_jacobian(w.get(), 3, TENON_AXES_LINK, six.data(), six.size(), 6); });
  expect_none("point_jacobian", [&] {
    return tenon_point_jacobian(w.get(), 3, rotation, 3, TENON_AXES_WORLD, six.data(), six.size(), 6);
  });
  expect_none("point_bias_acceleration", [&] {
    return tenon_point_bias_acceleration(w.get(), 3, rotation, 3, TENON_AXES_WORLD, pose, 6);
  });
  expect_none("link_bias_acceleration",
              [&] { return tenon_link_bias_acceleration(w.get(), 3, TENON_AXES_LINK, pose, 6); });
  expect_none("center_of_mass",
              [&] { return tenon_center_of_mass(w.get(), pose, 3, rotation, 3, six.data(), six.size(), 3); });
  expect_none("centroidal_momentum", [&] { return tenon_centroidal_momentum(w.get(), pose, 6); });
  expect_none_later("centroidal_momentum_matrix",
                    [&] { return tenon_centroidal_momentum_matrix(w.get(), six.data(), six.size(), 6); });
  expect_none("centroidal_momentum_bias", [&] { return tenon_centroidal_momentum_bias(w.get(), pose, 6); });
  expect_none_later("point_velocity_derivatives", [&] {
    return tenon_point_velocity_derivatives(w.get(), nullptr, 3, rotation, 3, TENON_AXES_WORLD, six.data(),
                                            six.size(), 6, nullptr, 0, 0);
  });
  expect_none("point_acceleration_derivatives", [&] {
    return tenon_point_acceleration_derivatives(w.get(), nullptr, 3, rotation, 3, TENON_AXES_LINK, six.data(),
                                                six.size(), 6, nullptr, 0, 0, nullptr, 0, 0);
  });
  expect_none("center_of_mass_derivatives", [&] {
    return tenon_center_of_mass_derivatives(w.get(), nullptr, pose, 3, nullptr, 0, 0, six.data(), six.size(),
                                            6, nullptr, 0, 0);
  });
  expect_none("centroidal_momentum_derivatives", [&] {
    return tenon_centroidal_momentum_derivatives(w.get(), nullptr, pose, 6, nullptr, 0, 0, nullptr, 0, 0,
                                                 six.data(), six.size(), 6, nullptr, 0, 0);
  });
  expect_none("energy_gradients", [&] {
    return tenon_energy_gradients(w.get(), nullptr, six.data(), s.v.size(), nullptr, 0, nullptr, 0);
  });
  expect_none("energy", [&] { return tenon_energy(w.get(), &kinetic, &potential); });
}

TEST_F(Allocation, NoneInDynamicsWithoutConstraints) {
  State s(model, w.get(), 1, 19);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const auto ld = static_cast<int32_t>(nv);
  std::vector<double> M(nv * nv),
      wrenches(6 * static_cast<std::size_t>(tenon_model_link_count(model.get())), 0.5);
  expect_none("inverse_dynamics", [&] {
    return tenon_inverse_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, wrenches.data(),
                                  wrenches.size(), s.qdd.data(), nv);
  });
  expect_none("bias", [&] {
    return tenon_bias(w.get(), s.q.data(), nq, s.v.data(), nv, wrenches.data(), wrenches.size(), s.qdd.data(),
                      nv);
  });
  expect_none("gravity_force",
              [&] { return tenon_gravity_force(w.get(), s.q.data(), nq, s.qdd.data(), nv); });
  expect_none_later("gravity_force_derivatives", [&] {
    return tenon_gravity_force_derivatives(w.get(), nullptr, s.q.data(), nq, s.qdd.data(), nv, M.data(),
                                           M.size(), ld, nullptr, 0, 0);
  });
  expect_none_later("coriolis_matrix", [&] {
    return tenon_coriolis_matrix(w.get(), s.q.data(), nq, s.v.data(), nv, M.data(), M.size(), ld);
  });
  expect_none_later("inverse_dynamics_derivatives", [&] {
    return tenon_inverse_dynamics_derivatives(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(),
                                              nv, nullptr, 0, s.qdd.data(), nv, M.data(), M.size(), ld,
                                              nullptr, 0, 0, nullptr, 0, 0);
  });
  expect_none("inverse_dynamics_vjp", [&] {
    return tenon_inverse_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                      nullptr, 0, s.tau.data(), nv, nullptr, 0, s.qdd.data(), nv, nullptr, 0,
                                      nullptr, 0);
  });
  expect_none("inverse_dynamics_jvp", [&] {
    return tenon_inverse_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                      nullptr, 0, s.v.data(), nv, nullptr, 0, nullptr, 0, nullptr, 0,
                                      s.qdd.data(), nv);
  });
  expect_none_later("forward_dynamics_derivatives", [&] {
    return tenon_forward_dynamics_derivatives(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(),
                                              nv, nullptr, 0, s.qdd.data(), nv, nullptr, 0, 0, nullptr, 0, 0,
                                              M.data(), M.size(), ld);
  });
  expect_none("forward_dynamics_vjp", [&] {
    return tenon_forward_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                      nullptr, 0, s.tau.data(), nv, nullptr, 0, s.qdd.data(), nv, nullptr, 0,
                                      nullptr, 0);
  });
  expect_none("forward_dynamics_jvp", [&] {
    return tenon_forward_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                      nullptr, 0, s.v.data(), nv, nullptr, 0, nullptr, 0, nullptr, 0,
                                      s.qdd.data(), nv);
  });
  const Workspace free = workspace(model);
  for (const StepCalls& of : step_calls) {
    const auto expect_none_then = [&](const char* name, const auto& call) {
      of.integrator == TENON_INTEGRATOR_SEMI_IMPLICIT_EULER ? expect_none_later(name, call)
                                                            : expect_none(name, call);
    };
    expect_none_then(of.vjp_name, [&] {
      return of.vjp(free.get(), nullptr, 1e-3, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                    nullptr, 0, s.tau.data(), nv, nullptr, 0, nullptr, 0, s.qdd.data(), nv, nullptr, 0,
                    nullptr, 0);
    });
    expect_none(of.jvp_name, [&] {
      return of.jvp(free.get(), nullptr, 1e-3, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                    s.v.data(), nv, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, s.qdd.data(), nv, nullptr,
                    0);
    });
  }
  expect_none("mass_matrix",
              [&] { return tenon_mass_matrix(w.get(), s.q.data(), nq, M.data(), M.size(), ld); });
  expect_none_later("factor", [&] { return tenon_mass_matrix_factor(w.get(), s.q.data(), nq); });
  expect_none("solve", [&] {
    return tenon_mass_matrix_solve(w.get(), 1, s.tau.data(), nv, ld, s.qdd.data(), nv, ld);
  });
  expect_none("multiply", [&] {
    return tenon_mass_matrix_multiply(w.get(), 1, s.tau.data(), nv, ld, s.qdd.data(), nv, ld);
  });
  expect_none("forward_dynamics", [&] {
    return tenon_forward_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, wrenches.data(),
                                  wrenches.size(), s.qdd.data(), nv);
  });
}

TEST_F(Allocation, NoneInConstrainedDynamicsByAnyMethod) {
  State s(model, w.get(), 1, 19);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const std::vector<double> wrenches(6 * static_cast<std::size_t>(tenon_model_link_count(model.get())), 0.5);
  std::vector<double> J(19 * nv), rhs(19), desired(19, 0.1);
  expect_none("anchor_here", [&] { return tenon_workspace_anchor_here(w.get(), s.q.data(), nq); });
  expect_none("constraint_rows", [&] {
    return tenon_constraint_rows(w.get(), s.q.data(), nq, s.v.data(), nv, desired.data(), 19, J.data(),
                                 J.size(), 19, rhs.data(), 19, rhs.data(), 19, rhs.data(), 19);
  });
  expect_none("constrained_inverse_dynamics", [&] {
    return tenon_constrained_inverse_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                              wrenches.data(), wrenches.size(), desired.data(), 19,
                                              s.qdd.data(), nv);
  });
  expect_none_later("underactuated_inverse_dynamics", [&] {
    return tenon_underactuated_inverse_dynamics(w.get(), nullptr, 0, s.q.data(), nq, s.v.data(), nv,
                                                s.tau.data(), nv, wrenches.data(), wrenches.size(),
                                                s.lambda.data(), 19, s.qdd.data(), nv);
  });
  const double restitution = 0.5;
  expect_none("impact", [&] {
    return tenon_impact(w.get(), &restitution, 1, s.q.data(), nq, s.v.data(), nv, rhs.data(), 19);
  });
  tenon_solve_report report;
  ASSERT_EQ(tenon_solve_report_init(&report, sizeof report), TENON_OK);
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_METHOD, method));
    tenon_solve_options options;
    ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = method;
    s = State(model, w.get(), 1, 19);
    if (s.constrained(w.get(), &options) == TENON_UNSUPPORTED) continue;
    for (const int32_t warm : {0, 1}) {
      options.warm_start = warm;
      expect_none("constrained_dynamics", [&] {
        return tenon_constrained_dynamics(w.get(), &options, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                          wrenches.data(), wrenches.size(), desired.data(), 19, s.qdd.data(),
                                          nv, s.lambda.data(), 19);
      });
    }
    expect_none("report", [&] { return tenon_workspace_report(w.get(), &report); });
    for (auto* step : {tenon_step_semi_implicit_euler, tenon_step_runge_kutta_4}) {
      expect_none("step", [&] {
        return step(w.get(), &options, 1e-3, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                    s.qdd.data(), nv, s.lambda.data(), 19);
      });
    }
  }
}

TEST_F(Allocation, NoneInDelassusAndOperationalSpaceByAnyMethod) {
  State s(model, w.get(), 1, 19);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  const auto ld = static_cast<int32_t>(nv);
  std::vector<double> A(19 * 19), J_bar(19 * nv), N(nv * nv);
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method) {
    expect_none_later(tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method), [&] {
      return tenon_delassus(w.get(), delassus_by(method), s.q.data(), nq, A.data(), A.size(), 19);
    });
  }
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    const char* name = tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method);
    const auto inverse = [&] {
      return tenon_delassus_inverse(w.get(), damped_by(method), s.q.data(), nq, A.data(), A.size(), 19);
    };
    if (inverse() == TENON_UNSUPPORTED) continue;
    expect_none(name, inverse);
    expect_none(name, [&] { return tenon_delassus_factor(w.get(), damped_by(method), s.q.data(), nq); });
    expect_none(name, [&] {
      return tenon_delassus_solve(w.get(), 19, A.data(), A.size(), 19, A.data(), A.size(), 19);
    });
  }
  expect_none_later("operational_space", [&] {
    return tenon_operational_space(w.get(), s.q.data(), nq, A.data(), A.size(), 19, J_bar.data(),
                                   J_bar.size(), ld, N.data(), N.size(), ld, nullptr);
  });
  if (s.lambda.size() == 19) {
    const auto derivatives = [&](double* square) {
      return tenon_constrained_dynamics_derivatives(w.get(), nullptr, s.q.data(), nq, s.v.data(), s.v.size(),
                                                    s.tau.data(), s.v.size(), nullptr, 0, nullptr, 0,
                                                    s.qdd.data(), s.v.size(), nullptr, 0, nullptr, 0, 0,
                                                    square, N.size(), ld, nullptr, 0, 0, nullptr, 0, 0);
    };
    expect_none_later("constrained_dynamics_derivatives", [&] { return derivatives(N.data()); });
    expect_none("constrained_dynamics_vjp", [&] {
      return tenon_constrained_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), s.v.size(),
                                            s.tau.data(), s.v.size(), nullptr, 0, nullptr, 0, s.tau.data(),
                                            s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0,
                                            s.qdd.data(), s.v.size(), nullptr, 0, nullptr, 0);
    });
    expect_none_later("constrained_dynamics_hessian", [&] {
      return tenon_constrained_dynamics_hessian(w.get(), nullptr, s.q.data(), nq, s.v.data(), s.v.size(),
                                                s.tau.data(), s.v.size(), nullptr, 0, nullptr, 0,
                                                s.tau.data(), s.v.size(), nullptr, 0, N.data(), N.size(), ld,
                                                nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0);
    });
    expect_none_later("constrained_dynamics_hvp", [&] {
      return tenon_constrained_dynamics_hvp(
          w.get(), nullptr, s.q.data(), nq, s.v.data(), s.v.size(), s.tau.data(), s.v.size(), nullptr, 0,
          nullptr, 0, s.tau.data(), s.v.size(), nullptr, 0, s.v.data(), s.v.size(), s.v.data(), s.v.size(),
          nullptr, 0, nullptr, 0, s.qdd.data(), s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0);
    });
    expect_none_later("impact_derivatives", [&] {
      return tenon_impact_derivatives(w.get(), nullptr, nullptr, 0, s.q.data(), nq, s.v.data(), s.v.size(),
                                      nullptr, 0, nullptr, 0, N.data(), N.size(), ld, nullptr, 0, 0, nullptr,
                                      0, 0, nullptr, 0, 0);
    });
    expect_none("impact_vjp", [&] {
      return tenon_impact_vjp(w.get(), nullptr, nullptr, 0, s.q.data(), nq, s.v.data(), s.v.size(),
                              s.tau.data(), s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0, s.qdd.data(),
                              s.v.size(), nullptr, 0);
    });
    expect_none("impact_jvp", [&] {
      return tenon_impact_jvp(w.get(), nullptr, nullptr, 0, s.q.data(), nq, s.v.data(), s.v.size(),
                              s.v.data(), s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0, s.qdd.data(),
                              s.v.size(), nullptr, 0);
    });
    expect_none("constrained_dynamics_jvp", [&] {
      return tenon_constrained_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), s.v.size(),
                                            s.tau.data(), s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0,
                                            s.v.data(), s.v.size(), nullptr, 0, nullptr, 0, nullptr, 0,
                                            nullptr, 0, s.qdd.data(), s.v.size(), nullptr, 0);
    });
  }
  expect_none_later("mass_matrix_inverse_times", [&] {
    return tenon_mass_matrix_inverse_times(w.get(), s.q.data(), nq, 19, J_bar.data(), J_bar.size(), ld,
                                           J_bar.data(), J_bar.size(), ld);
  });
}

// A loop through both arms, and a foot tied to the world.
TEST_F(Allocation, NoneWithClosuresByAnyMethod) {
  Constraints loops = constraints(model);
  for (const int32_t second : {link(model, "r_hand"), TENON_WORLD})
    ASSERT_EQ(tenon_constraints_add_closure(loops.get(), link(model, second < 0 ? "l_foot" : "l_hand"),
                                            nullptr, 0, second, nullptr, 0, nullptr, nullptr, nullptr, 0),
              TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(loops.get(), nullptr, 0), TENON_OK);
  w = workspace(model, loops);
  State s(model, w.get(), 1, 12);
  const std::size_t nq = s.q.size(), nv = s.v.size();
  int solved = 0;
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_METHOD, method));
    tenon_solve_options options;
    ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = method;
    if (s.constrained(w.get(), &options) == TENON_UNSUPPORTED) continue;
    expect_none("constrained_dynamics", [&] { return s.constrained(w.get(), &options); });
    ++solved;
  }
  EXPECT_GE(solved, 6);
  expect_none_later("project_positions", [&] {
    return tenon_project_positions(w.get(), projection_to(1e-12, 20), s.q.data(), nq);
  });
  expect_none_later("project_velocities",
                    [&] { return tenon_project_velocities(w.get(), s.q.data(), nq, s.v.data(), nv); });
}

#ifdef TENON_EXPERIMENTAL
// Nor does the first look at the list of algorithms, for whose memory nobody could be told that there is
// none.
TEST_F(Allocation, NoneForTheListOfAlgorithms) {
  expect_none("traceable", [] {
    for (int32_t i = 0; i < tenonx_traceable_count(); ++i)
      if (tenonx_traceable_name(i)[0] == '\0' || tenonx_traceable_summary(i)[0] == '\0' ||
          tenonx_traceable_traits(i) < 0)
        return TENON_INTERNAL_ERROR;
    return tenonx_traceable_count() > 20 ? TENON_OK : TENON_INTERNAL_ERROR;
  });
}
#endif

TEST_F(Allocation, NoneWhereACallFails) {
  State s(model, w.get(), 1, 19);
  double pose[7] = {0, 0, 0, 0, 0, 0, 1}, gravity[3] = {0, 0, -1};
  const auto any = static_cast<tenon_status>(INT32_MIN);
  expect_none("wrong count", any, [&] { return tenon_neutral(w.get(), s.q.data(), 3); });
  expect_none("NULL", any, [&] { return tenon_neutral(w.get(), nullptr, 3); });
  expect_none("index", any, [&] { return tenon_link_pose(w.get(), -1, pose, 7, nullptr, 0); });
  s.q[8] = std::nan("");
  expect_none("NaN", any, [&] { return s.forward(w.get()); });
  expect_none("message",
              [&] { return tenon_workspace_message(w.get())[0] != '\0' ? TENON_OK : TENON_INTERNAL_ERROR; });
  expect_none("set_gravity", [&] { return tenon_workspace_set_gravity(w.get(), gravity, 3); });
  expect_none("gravity", [&] { return tenon_workspace_gravity(w.get(), gravity, 3); });
  expect_none("set_anchor", [&] { return tenon_workspace_set_anchor(w.get(), 0, pose, 7); });
  expect_none("anchor", [&] { return tenon_workspace_anchor(w.get(), 0, pose, 7); });
}

}  // namespace
