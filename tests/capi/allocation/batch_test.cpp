// Calls on a batch allocate nothing, with one thread and with two.
#include "fixture.hpp"

using namespace tenon_test;

TEST_F(Allocation, BatchesWithoutMemoryAtTheFirstCall) {
  constexpr std::size_t states = 29, m = 19;
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get()));
  std::vector<double> q(states * nq), B(states * m, 1.0), X(B);
  for (std::size_t s = 0; s < states; ++s) ASSERT_EQ(tenon_random(w.get(), s + 1, &q[s * nq], nq), TENON_OK);
  auto qs = rows_of(q, nq), b = rows_of(B, m), x = rows_of(X, m);
  for (const int32_t threads : {1, 2}) {
    const Batch made = batch(model, set, threads);
    const auto call = [&] {
      return tenon_batch_delassus_inverse_times(made.get(), nullptr, states, 1, &qs, &b, &x, nullptr, 0);
    };
    failing = true;
    const tenon_status status = call();
    failing = false;
    EXPECT_EQ(status, TENON_OUT_OF_MEMORY);
    EXPECT_NE(std::string(tenon_batch_message(made.get())).find("memory"), std::string::npos);
    EXPECT_EQ(call(), TENON_OK) << tenon_batch_message(made.get());
    EXPECT_STREQ(tenon_batch_message(made.get()), "");
  }
}

// Derivatives of robots with embedded loops, in independent coordinates, whichever threads compute.
TEST_F(Allocation, NoneInDerivativesOfLoopsInBatches) {
  constexpr std::size_t states = 17;
  const Model linkage = load("six_bar");
  for (const int32_t threads : {1, 2})
    for (const bool loaded : {false, true}) {
      const Batch made = batch(linkage, nullptr, threads);
      tenon_batch* b = made.get();
      ASSERT_EQ(tenon_batch_set_coordinates(b, TENON_COORDINATES_INDEPENDENT, TENON_COORDINATES_INDEPENDENT),
                TENON_OK);
      const std::size_t nq = static_cast<std::size_t>(tenon_batch_position_count(b)),
                        nv = static_cast<std::size_t>(tenon_batch_velocity_count(b)),
                        links = static_cast<std::size_t>(tenon_model_link_count(linkage.get()));
      const Workspace one = workspace(linkage);
      std::vector<double> closed(static_cast<std::size_t>(tenon_model_nq(linkage.get()))), start(nq);
      ASSERT_EQ(tenon_workspace_guess(one.get(), closed.data(), closed.size()), TENON_OK);
      ASSERT_EQ(tenon_independent_position(one.get(), closed.data(), closed.size(), start.data(), nq),
                TENON_OK);
      std::vector<double> q, v(states * nv, 0.1), out(states * nv), masses(links, 0.25);
      for (std::size_t s = 0; s < states; ++s) q.insert(q.end(), start.begin(), start.end());
      const auto qs = rows_of(q, nq), vs = rows_of(v, nv), to = rows_of(out, nv);
      auto loads = rows_of(masses, links);
      loads.state_stride = 0;
      if (loaded) {
        ASSERT_EQ(
            tenon_batch_set_parameters(
                b, 1, options_of(tenon_batch_parameters_init, [&](auto& o) { o.payload_masses = &loads; })),
            TENON_OK)
            << tenon_batch_message(b);
      }
      for (const auto& function : {tenon_batch_inverse_dynamics_vjp, tenon_batch_forward_dynamics_vjp})
        expect_none_later("vjp with loops", [&] {
          return function(b, nullptr, states, &qs, &vs, &vs, nullptr, &vs, nullptr, &to, nullptr, nullptr,
                          nullptr, 0);
        });
      const int32_t last = static_cast<int32_t>(links) - 1;
      std::vector<double> on_pose(states * 6, 1.0), change(states * 6);
      const auto force = rows_of(on_pose, 6), moved = rows_of(change, 6);
      expect_none_later("vjp of kinematics with loops", [&] {
        return tenon_batch_kinematics_vjp(b, nullptr, states, &last, 1, TENON_AXES_WORLD, &qs, &vs, &force,
                                          &force, nullptr, nullptr, &to, nullptr, nullptr, 0);
      });
      expect_none_later("vjp of motion with loops", [&] {
        return tenon_batch_link_motion_vjp(b, nullptr, states, &last, 1, TENON_AXES_WORLD, &qs, &vs, &vs,
                                           &force, &force, &force, nullptr, nullptr, nullptr, &to, nullptr,
                                           nullptr, nullptr, 0);
      });
      expect_none_later("jvp of motion with loops", [&] {
        return tenon_batch_link_motion_jvp(b, nullptr, states, &last, 1, TENON_AXES_WORLD, &qs, &vs, nullptr,
                                           &vs, &vs, &vs, nullptr, nullptr, nullptr, nullptr, nullptr, &moved,
                                           nullptr, 0);
      });
      expect_none_later("motion with loops", [&] {
        return tenon_batch_link_motion(b, states, &last, 1, TENON_AXES_WORLD, &qs, &vs, &vs, nullptr, nullptr,
                                       &moved, nullptr, nullptr, 0);
      });
      expect_none_later("jvp of kinematics with loops", [&] {
        return tenon_batch_kinematics_jvp(b, nullptr, states, &last, 1, TENON_AXES_WORLD, &qs, &vs, &vs, &vs,
                                          nullptr, nullptr, nullptr, &moved, nullptr, 0);
      });
      std::vector<double> whole(states * 6, 1.0);
      const auto momenta = rows_of(whole, 6);
      expect_none_later("numbers of whole robots with loops", [&] {
        return tenon_batch_centroidal(b, states, &qs, &vs, nullptr, nullptr, &momenta, nullptr, nullptr,
                                      nullptr, 0);
      });
      expect_none_later("vjp of whole robots with loops", [&] {
        return tenon_batch_centroidal_vjp(b, nullptr, states, &qs, &vs, nullptr, nullptr, &momenta, nullptr,
                                          nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &to, nullptr,
                                          nullptr, 0);
      });
      expect_none_later("jvp of whole robots with loops", [&] {
        return tenon_batch_centroidal_jvp(b, nullptr, states, &qs, &vs, &vs, &vs, nullptr, nullptr, nullptr,
                                          nullptr, nullptr, nullptr, nullptr, &momenta, nullptr, nullptr,
                                          nullptr, 0);
      });
      for (const StepCalls& of : step_calls)
        expect_none_later("vjp of a step with loops", [&] {
          return of.batch_vjp(b, nullptr, states, 1e-3, &qs, &vs, &vs, nullptr, nullptr, &vs, nullptr,
                              nullptr, &to, nullptr, nullptr, nullptr, 0);
        });
      const auto few = options_of(tenon_rollout_options_init, [](auto& o) { o.steps = o.every = 3; });
      expect_none_later("gradients through rollouts with loops", [&] {
        return tenon_batch_rollout_vjp(b, few, states, &qs, &vs, &vs, nullptr, nullptr, &vs, &to, nullptr,
                                       nullptr, nullptr, 0);
      });
    }
}

// And with constraint rows: Cassie on its feet, in both kinds of velocities by turns.
TEST_F(Allocation, NoneInDerivativesOfLoopsWithRowsInBatches) {
  constexpr std::size_t states = 17;
  const Model cassie = load("cassie", TENON_BASE_FLOATING);
  const Constraints feet = constraints(cassie);
  for (const char* name : {"left-foot", "right-foot"})
    ASSERT_EQ(
        tenon_constraints_add_point(feet.get(), link(cassie, name), nullptr, 0, nullptr, nullptr, nullptr, 0),
        TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(feet.get(), nullptr, 0), TENON_OK);
  const Workspace one = workspace(cassie);
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(cassie.get()));
  std::vector<double> closed(nq), q;
  ASSERT_EQ(tenon_workspace_guess(one.get(), closed.data(), nq), TENON_OK);
  for (std::size_t s = 0; s < states; ++s) q.insert(q.end(), closed.begin(), closed.end());
  for (const int32_t threads : {1, 2}) {
    const Batch made = batch(cassie, feet, threads);
    tenon_batch* b = made.get();
    const auto few = options_of(tenon_rollout_options_init, [](auto& o) { o.steps = o.every = 3; });
    const auto call_all = [&](bool independent, const auto& check) {
      ASSERT_EQ(tenon_batch_set_coordinates(
                    b, TENON_COORDINATES_SPANNING,
                    independent ? TENON_COORDINATES_INDEPENDENT : TENON_COORDINATES_SPANNING),
                TENON_OK);
      const std::size_t nv = static_cast<std::size_t>(tenon_batch_velocity_count(b));
      std::vector<double> v(states * nv, 0.0), x(states * nv, 0.1), out(states * nv), end(states * nq);
      const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), to = rows_of(out, nv),
                 end_q = rows_of(end, nq);
      check("vjp with loops and rows", [&] {
        return tenon_batch_constrained_dynamics_vjp(b, nullptr, states, &qs, &vs, &xs, nullptr, nullptr, &xs,
                                                    nullptr, nullptr, nullptr, &to, nullptr, nullptr, nullptr,
                                                    nullptr, 0);
      });
      check("jvp with loops and rows", [&] {
        return tenon_batch_constrained_dynamics_jvp(b, nullptr, states, &qs, &vs, &xs, nullptr, nullptr, &xs,
                                                    &xs, &xs, nullptr, nullptr, nullptr, &to, nullptr,
                                                    nullptr, 0);
      });
      check("impact with loops",
            [&] { return tenon_batch_impact(b, states, nullptr, &qs, &vs, &to, nullptr, nullptr, 0); });
      check("vjp of impacts with loops", [&] {
        return tenon_batch_impact_vjp(b, nullptr, states, nullptr, &qs, &vs, &xs, nullptr, nullptr, nullptr,
                                      &to, nullptr, nullptr, 0);
      });
      if (!independent) return;
      for (const StepCalls& of : step_calls) {
        check("vjp of a step with loops and rows", [&] {
          return of.batch_vjp(b, nullptr, states, 1e-4, &qs, &vs, &xs, nullptr, nullptr, &xs, nullptr,
                              nullptr, &to, nullptr, nullptr, nullptr, 0);
        });
        check("jvp of a step with loops and rows", [&] {
          return of.batch_jvp(b, nullptr, states, 1e-4, &qs, &vs, &xs, nullptr, nullptr, &xs, nullptr,
                              nullptr, nullptr, nullptr, &to, nullptr, 0);
        });
      }
      check("rollouts in independent velocities", [&] {
        return tenon_batch_rollout(b, few, states, &qs, &vs, &xs, nullptr, &end_q, &to, nullptr, 0);
      });
      check("gradients through rollouts with loops and rows", [&] {
        return tenon_batch_rollout_vjp(b, few, states, &qs, &vs, &xs, nullptr, nullptr, &xs, &to, nullptr,
                                       nullptr, nullptr, 0);
      });
    };
    for (const bool independent : {false, true})
      call_all(independent, [&](const char* name, const auto& call) { expect_none_later(name, call); });
    for (const bool independent : {false, true})
      call_all(independent, [&](const char* name, const auto& call) { expect_none(name, call); });
  }
}

// The numbers of a state are not counted with 32 bits, with which these would be 13.
TEST_F(Allocation, BatchesOfMoreNumbersThanThereIsMemoryFor) {
  constexpr std::size_t m = 19, columns = 226050911;
  const Batch made = batch(model, set);
  std::vector<double> q(static_cast<std::size_t>(tenon_model_nq(model.get()))), X(2 * m, -77);
  ASSERT_EQ(tenon_random(w.get(), 1, q.data(), q.size()), TENON_OK);
  std::vector<double> one(1, 1);
  const auto qs = rows_of(q, q.size()), B = strided(one, m * columns, 0, 0);
  auto x = strided(X, m * columns, 1, 0);
  x.size = m * columns;  // as if: memory lacks before anything is written
  failing = true;
  const tenon_status status =
      tenon_batch_delassus_inverse_times(made.get(), nullptr, 1, columns, &qs, &B, &x, nullptr, 0);
  failing = false;
  EXPECT_EQ(status, TENON_OUT_OF_MEMORY);
  EXPECT_EQ(X, std::vector<double>(2 * m, -77));
}

TEST_F(Allocation, NoneInBatches) {
  constexpr std::size_t states = 37;
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get()));
  const std::size_t nv = static_cast<std::size_t>(tenon_model_nv(model.get()));
  const std::size_t m = static_cast<std::size_t>(tenon_constraints_row_count(set.get()));
  std::vector<double> q(states * nq), v(states * nv, 0.1), tau(v), out(states * nv * nv), lambda(states * m),
      poses(states * 14), velocities(states * 12), jacobians(states * 12 * nv);
  for (std::size_t s = 0; s < states; ++s) ASSERT_EQ(tenon_random(w.get(), s + 1, &q[s * nq], nq), TENON_OK);
  const int32_t links[] = {0, 5};
  for (const int32_t threads : {1, 2}) {
    const Batch made = batch(model, set, threads);
    tenon_batch* b = made.get();
    auto qs = rows_of(q, nq), vs = rows_of(v, nv), ts = rows_of(tau, nv), qdd = rows_of(out, nv),
         M = rows_of(out, nv * nv), T = rows_of(out, nv * (nv + 1) / 2), l = rows_of(lambda, m),
         p = rows_of(poses, 14), u = rows_of(velocities, 12), J = rows_of(jacobians, 12 * nv);
    std::vector<int32_t> status(states);
    expect_none("forward dynamics", [&] {
      return tenon_batch_forward_dynamics(b, states, &qs, &vs, &ts, nullptr, &qdd, status.data(), states);
    });
    expect_none("inverse dynamics", [&] {
      return tenon_batch_inverse_dynamics(b, states, &qs, &vs, &ts, nullptr, &qdd, status.data(), states);
    });
    expect_none_later("mass matrix",
                      [&] { return tenon_batch_mass_matrix(b, states, &qs, &M, status.data(), states); });
    expect_none("mass matrix, lower triangle",
                [&] { return tenon_batch_mass_matrix_lower(b, states, &qs, &T, status.data(), states); });
    expect_none("mass matrix, factor",
                [&] { return tenon_batch_mass_matrix_factor(b, states, &qs, &T, status.data(), states); });
    std::vector<double> by_v(out.size()), by_x(out.size()), sums(states * nv), more(sums), most(sums);
    const auto D_q = rows_of(out, nv * nv), D_v = rows_of(by_v, nv * nv), D_x = rows_of(by_x, nv * nv),
               g_q = rows_of(sums, nv), g_v = rows_of(more, nv), g_x = rows_of(most, nv);
    for (const auto& function :
         {tenon_batch_inverse_dynamics_derivatives, tenon_batch_forward_dynamics_derivatives})
      expect_none_later("derivatives", [&] {
        return function(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &D_q, &D_v, &D_x, status.data(),
                        states);
      });
    for (const auto& function : {tenon_batch_inverse_dynamics_vjp, tenon_batch_forward_dynamics_vjp})
      expect_none_later("vjp", [&] {
        return function(b, nullptr, states, &qs, &vs, &ts, nullptr, &vs, nullptr, &g_q, &g_v, &g_x,
                        status.data(), states);
      });
    for (const auto& function : {tenon_batch_inverse_dynamics_jvp, tenon_batch_forward_dynamics_jvp})
      expect_none("jvp", [&] {
        return function(b, nullptr, states, &qs, &vs, &ts, nullptr, &vs, &vs, &ts, nullptr, &g_q,
                        status.data(), states);
      });
    const Batch free = batch(model, nullptr, threads);
    for (const StepCalls& of : step_calls)
      for (int form = 0; form < 2; ++form)
        expect_none_later("products of a step", [&] {
          return form == 0
                     ? of.batch_vjp(free.get(), nullptr, states, 1e-3, &qs, &vs, &ts, nullptr, nullptr, &vs,
                                    nullptr, nullptr, &g_q, nullptr, nullptr, status.data(), states)
                     : of.batch_jvp(free.get(), nullptr, states, 1e-3, &qs, &vs, &ts, nullptr, nullptr, &vs,
                                    nullptr, nullptr, nullptr, &g_q, nullptr, status.data(), states);
        });
    expect_none("kinematics", [&] {
      return tenon_batch_kinematics(b, states, links, 2, TENON_AXES_WORLD, &qs, &vs, &p, &u, &J, nullptr, 0);
    });
    expect_none("motion", [&] {
      return tenon_batch_link_motion(b, states, links, 2, TENON_AXES_WORLD, &qs, &vs, &vs, &p, nullptr, &u,
                                     &J, nullptr, 0);
    });
    expect_none_later("vjp of motion", [&] {
      return tenon_batch_link_motion_vjp(b, nullptr, states, links, 2, TENON_AXES_WORLD, &qs, &vs, nullptr,
                                         &u, &u, &u, &p, nullptr, nullptr, &g_q, &g_v, nullptr, nullptr, 0);
    });
    expect_none_later("jvp of motion", [&] {
      return tenon_batch_link_motion_jvp(b, nullptr, states, links, 2, TENON_AXES_LINK, &qs, &vs, &vs, &vs,
                                         &vs, &vs, &p, nullptr, nullptr, nullptr, nullptr, &u, nullptr, 0);
    });
    expect_none_later("vjp of kinematics", [&] {
      return tenon_batch_kinematics_vjp(b, nullptr, states, links, 2, TENON_AXES_WORLD, &qs, &vs, &u, &u, &p,
                                        nullptr, &g_q, &g_v, nullptr, 0);
    });
    expect_none_later("jvp of kinematics", [&] {
      return tenon_batch_kinematics_jvp(b, nullptr, states, links, 2, TENON_AXES_LINK, &qs, &vs, &vs, &vs, &p,
                                        nullptr, &u, nullptr, nullptr, 0);
    });
    std::vector<double> centers(states * 3, 1.0), energies(states, 1.0), momenta(states * 6, 1.0);
    const auto c = rows_of(centers, 3), e = rows_of(energies, 1), h = rows_of(momenta, 6);
    expect_none("numbers of whole robots", [&] {
      return tenon_batch_centroidal(b, states, &qs, &vs, &c, nullptr, &h, &e, nullptr, status.data(), states);
    });
    expect_none_later("vjp of whole robots", [&] {
      return tenon_batch_centroidal_vjp(b, nullptr, states, &qs, &vs, &c, &c, &h, &e, &e, nullptr, nullptr,
                                        nullptr, nullptr, nullptr, &g_q, &g_v, status.data(), states);
    });
    std::vector<double> of_links(states * 10 * static_cast<std::size_t>(tenon_model_link_count(model.get())));
    const auto of_inertia = rows_of(of_links, of_links.size() / states);
    expect_none_later("vjp of whole robots by parameters", [&] {
      return tenon_batch_centroidal_parameter_vjp(b, nullptr, states, &qs, &vs, &c, &c, &h, &e, &e,
                                                  &of_inertia, nullptr, &c, status.data(), states);
    });
    std::vector<double> regressors(of_links.size() * static_cast<std::size_t>(tenon_model_nv(model.get())));
    const auto regressor = rows_of(regressors, regressors.size() / states);
    expect_none_later("regressors", [&] {
      return tenon_batch_joint_torque_regressor(b, states, &qs, &vs, &vs, &regressor, status.data(), states);
    });
    expect_none_later("jvp of whole robots", [&] {
      return tenon_batch_centroidal_jvp(b, nullptr, states, &qs, &vs, &vs, &vs, nullptr, nullptr, nullptr,
                                        nullptr, nullptr, &c, nullptr, &h, &e, nullptr, status.data(),
                                        states);
    });
    const std::size_t constraints = static_cast<std::size_t>(tenon_constraints_constraint_count(set.get()));
    std::vector<double> anchors(states * 7 * constraints), ones(states * constraints, 1.0);
    const auto anchor = rows_of(anchors, 7 * constraints), one = rows_of(ones, constraints);
    expect_none_later("anchor here", [&] { return tenon_batch_anchor_here(b, states, &qs, nullptr, 0); });
    expect_none("anchors", [&] { return tenon_batch_anchors(b, states, &anchor); });
    expect_none("set anchors", [&] { return tenon_batch_set_anchors(b, states, &anchor); });
    expect_none_later("set active", [&] { return tenon_batch_set_active(b, states, &one); });
    expect_none_later("set gains", [&] { return tenon_batch_set_gains(b, states, &one, &one); });
    const auto solve = [&] {
      return tenon_batch_constrained_dynamics(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &qdd, &l,
                                              nullptr, 0, status.data(), states);
    };
    expect_none("constrained dynamics", solve);
    expect_none_later("impact", [&] {
      return tenon_batch_impact(b, states, nullptr, &qs, &vs, &g_v, &l, status.data(), states);
    });
    expect_none_later("vjp of impacts", [&] {
      return tenon_batch_impact_vjp(b, nullptr, states, nullptr, &qs, &vs, &vs, &l, nullptr, nullptr, &g_q,
                                    &g_v, status.data(), states);
    });
    expect_none_later("jvp of impacts", [&] {
      return tenon_batch_impact_jvp(b, nullptr, states, nullptr, &qs, &vs, &vs, &vs, nullptr, nullptr, &g_q,
                                    &l, status.data(), states);
    });
    expect_none_later("constrained vjp", [&] {
      return tenon_batch_constrained_dynamics_vjp(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &vs,
                                                  nullptr, nullptr, nullptr, &g_q, &g_v, &g_x, nullptr,
                                                  status.data(), states);
    });
    std::vector<double> by_rows(states * nv * m), by_all(states * m * m);
    const auto D_k = rows_of(by_rows, nv * m), D_kk = rows_of(by_all, m * m);
    expect_none_later("constrained derivatives", [&] {
      return tenon_batch_constrained_dynamics_derivatives(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr,
                                                          nullptr, nullptr, &D_q, &D_v, &D_x, &D_k, &D_k,
                                                          &D_k, &D_k, &D_kk, status.data(), states);
    });
    expect_none_later("derivatives of impacts", [&] {
      return tenon_batch_impact_derivatives(b, nullptr, states, nullptr, &qs, &vs, nullptr, nullptr, &D_q,
                                            &D_v, &D_k, &D_k, status.data(), states);
    });
    expect_none_later("second derivatives", [&] {
      return tenon_batch_constrained_dynamics_hessian(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr,
                                                      &vs, nullptr, &D_q, &D_v, &D_x, nullptr, &D_k,
                                                      status.data(), states);
    });
    for (const auto& function : {tenon_batch_inverse_dynamics_hvp, tenon_batch_forward_dynamics_hvp})
      expect_none_later("second derivatives times a change", [&] {
        return function(b, nullptr, states, &qs, &vs, &ts, nullptr, &vs, &vs, &vs, nullptr, &g_q, &g_v,
                        nullptr, status.data(), states);
      });
    expect_none_later("those of constrained dynamics", [&] {
      return tenon_batch_constrained_dynamics_hvp(b, nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &vs,
                                                  nullptr, &vs, nullptr, &vs, &l, &g_q, &g_v, &g_x, &l,
                                                  status.data(), states);
    });
    expect_none("settings", [&] {
      const tenon_status status_ = tenon_batch_robots(b, states, nullptr, nullptr, nullptr, nullptr, nullptr,
                                                      nullptr, &vs, nullptr, nullptr, nullptr);
      return status_ != TENON_OK
                 ? status_
                 : tenon_batch_constraints(b, states, &one, &one, &one, &anchor, &anchor, nullptr, nullptr);
    });
    for (const int32_t integrator : {TENON_INTEGRATOR_SEMI_IMPLICIT_EULER, TENON_INTEGRATOR_RUNGE_KUTTA_4}) {
      const auto options = options_of(tenon_rollout_options_init,
                                      [&](auto& o) { o.integrator = integrator, o.steps = 3, o.every = 3; });
      expect_none("rollout", [&] {
        return tenon_batch_rollout(b, options, states, &qs, &vs, &ts, nullptr, nullptr, &qdd, status.data(),
                                   states);
      });
    }
    const auto few = options_of(tenon_rollout_options_init, [](auto& o) { o.steps = 7, o.every = 2; });
    const auto finer = options_of(tenon_rollout_options_init, [](auto& o) {
      o.integrator = TENON_INTEGRATOR_RUNGE_KUTTA_4, o.steps = 7, o.every = 2;
    });
    const auto same = [](const tenon_batch_array& a) {  // for all records
      tenon_batch_array again = a;
      again.record_stride = 0;
      return again;
    };
    const tenon_batch_array weight = same(vs);
    for (const tenon_rollout_options* how :
         {static_cast<const tenon_rollout_options*>(few), static_cast<const tenon_rollout_options*>(finer)})
      expect_none_later("gradients through a rollout", [&] {
        return tenon_batch_rollout_vjp(b, how, states, &qs, &vs, &ts, nullptr, &weight, &weight, &g_q, &g_v,
                                       nullptr, status.data(), states);
      });
    const std::size_t link_count = static_cast<std::size_t>(tenon_model_link_count(model.get()));
    std::vector<double> by_inertia(states * 10 * link_count), by_wrenches(states * 6 * link_count),
        by_gravity(states * 3), by_damping(states * nv);
    const auto g_i = rows_of(by_inertia, 10 * link_count), g_w = rows_of(by_wrenches, 6 * link_count),
               g_g = rows_of(by_gravity, 3), g_d = rows_of(by_damping, nv);
    for (tenon_batch* of : {b, free.get()})  // with rows, and without
      for (const bool loads : {false, true}) {
        const tenon_batch_array *const to_w = loads ? &g_w : nullptr, *const to_g = loads ? &g_g : nullptr;
        for (const auto& function :
             {tenon_batch_inverse_dynamics_parameter_vjp, tenon_batch_forward_dynamics_parameter_vjp})
          expect_none_later("gradients by parameters", [&] {
            return function(of, nullptr, states, &qs, &vs, &ts, nullptr, &vs, nullptr, &g_i, &g_d, nullptr,
                            nullptr, to_w, to_g, status.data(), states);
          });
        expect_none_later("gradients by parameters with rows", [&] {
          return tenon_batch_constrained_dynamics_parameter_vjp(
              of, nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &vs, nullptr, nullptr, nullptr, &g_i,
              &g_d, nullptr, nullptr, to_w, to_g, status.data(), states);
        });
        const auto once = options_of(tenon_rollout_options_init, [](auto& o) { o.dt = 1e-3; });
        expect_none_later("gradients through a rollout by parameters", [&] {
          return tenon_batch_rollout_parameter_vjp(of, once, states, &qs, &vs, &ts, nullptr, &weight, &weight,
                                                   &g_q, nullptr, nullptr, &g_i, &g_d, nullptr, nullptr, to_w,
                                                   to_g, status.data(), states);
        });
      }
    // Without rows, side by side, and state 3, which fails, alone.
    std::vector<double> torques = tau, none(states * nv), gains(states * nv, 0.1);
    torques[3 * nv] = 1e308;
    const auto hard = rows_of(torques, nv), no_stiffness = rows_of(none, nv), gain = rows_of(gains, nv);
    for (const std::size_t every : {1, 3})
      for (const bool controlled : {false, true}) {
        const auto how = options_of(tenon_rollout_options_init, [&](auto& o) {
          o.steps = 12, o.every = every;
          if (controlled) o.stiffness = &no_stiffness, o.damping = &gain, o.q_target = &qs;
        });
        const auto back = [&] {
          return tenon_batch_rollout_vjp(free.get(), how, states, &qs, &vs, &hard, nullptr, &weight, &weight,
                                         &g_q, &g_v, nullptr, status.data(), states);
        };
        back();
        expect_none("gradients through rollouts side by side", TENON_NOT_FINITE, back);
        EXPECT_EQ(std::count(status.begin(), status.end(), TENON_OK), static_cast<ptrdiff_t>(states) - 1);
      }
    const std::size_t many = static_cast<std::size_t>(tenon_model_link_count(model.get()));
    std::vector<double> masses(states * many, 2.0), damping(states * nv, 0.1);
    std::vector<double> zeros(states * nv);
    const auto mass = rows_of(masses, many), viscous = rows_of(damping, nv), zero = rows_of(zeros, nv);
    ASSERT_EQ(
        tenon_batch_set_parameters(b, states,
                                   options_of(tenon_batch_parameters_init,
                                              [&](auto& o) { o.masses = &mass, o.damping = &viscous; })),
        TENON_OK)
        << tenon_batch_message(b);
    expect_none_later("constrained dynamics of robots of their own", solve);
    const auto options = options_of(tenon_rollout_options_init, [&](auto& o) {
      o.steps = o.every = 3, o.qdd_out = &qdd, o.lambda_out = &l, o.damping = &viscous;
      o.stiffness = &zero, o.q_target = &qs;
    });
    expect_none_later("rollout with a controller", [&] {
      return tenon_batch_rollout(b, options, states, &qs, &vs, &ts, nullptr, nullptr, nullptr, status.data(),
                                 states);
    });
    const std::vector<double> kept = v;
    v[nv] = 1e308;  // a state that fails
    expect_none("a state that fails", TENON_NOT_FINITE, solve);
    v = kept;
  }
}
