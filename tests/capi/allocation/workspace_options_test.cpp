// A workspace made with the masks of tenon_workspace_options allocates nothing at the first call of what they
// name; and what else its options say.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "allocation/hooks.hpp"
#include "support.hpp"

using namespace tenon_test;

namespace {

using Change = std::function<void(tenon_workspace_options&)>;

tenon_workspace_options options_with(const Change& change) {
  tenon_workspace_options options;
  EXPECT_EQ(tenon_workspace_options_init(&options, sizeof options), TENON_OK);
  change(options);
  return options;
}

struct Robot {
  const char* name;
  int32_t base, treatment;
  std::vector<const char*> points;  // links whose origins are held
  const char *first, *second;       // links kept together by a closure, or null
};

// Results go nowhere that matters: sizes only.
struct Room {
  Room(const Model& model, const Constraints& set)
      : nq(static_cast<std::size_t>(tenon_model_nq(model.get()))),
        nv(static_cast<std::size_t>(tenon_model_nv(model.get()))),
        m(static_cast<std::size_t>(tenon_constraints_row_count(set.get()))),
        q(nq),
        v(nv),
        x(nv),
        lambda(m),
        square(nv * nv),
        rows(m * m),
        wide(6 * nv),
        by_parameters((nv + m) * 10 * static_cast<std::size_t>(tenon_model_link_count(model.get()))) {}
  std::size_t nq, nv, m;
  std::vector<double> q, v, x, lambda, square, rows, wide, by_parameters;
};

struct Call {
  std::string name;
  Change room;
  std::function<tenon_status(tenon_workspace*, Room&)> make;
};

std::vector<Call> calls() {
  std::vector<Call> all;
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method)
    all.push_back(
        {tenon_constant_name(TENON_CONSTANT_METHOD, method), [=](auto& o) { o.methods = 1U << method; },
         [=](tenon_workspace* w, Room& r) {
           const auto by = options_of(tenon_solve_options_init, [&](auto& o) { o.method = method; });
           return tenon_constrained_dynamics(w, by, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv,
                                             nullptr, 0, nullptr, 0, r.x.data(), r.nv, r.lambda.data(), r.m);
         }});
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method)
    all.push_back({std::string("delassus ") + tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method),
                   [=](auto& o) { o.delassus_methods = 1U << method; },
                   [=](tenon_workspace* w, Room& r) {
                     return tenon_delassus(w, delassus_by(method), r.q.data(), r.nq, r.rows.data(), r.m * r.m,
                                           static_cast<int32_t>(r.m));
                   }});
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    const Change room = [=](auto& o) { o.damped_methods = 1U << method; };
    all.push_back({std::string("damped ") + tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method), room,
                   [=](tenon_workspace* w, Room& r) {
                     return tenon_delassus_inverse(w, damped_by(method), r.q.data(), r.nq, r.rows.data(),
                                                   r.m * r.m, static_cast<int32_t>(r.m));
                   }});
    all.push_back(
        {std::string("factor ") + tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method), room,
         [=](tenon_workspace* w, Room& r) {
           const tenon_status status = tenon_delassus_factor(w, damped_by(method), r.q.data(), r.nq);
           const auto ld = static_cast<int32_t>(r.m);
           return status < 0 ? status
                             : tenon_delassus_solve(w, 1, r.lambda.data(), r.m, ld, r.lambda.data(), r.m, ld);
         }});
  }
  const auto product = [&](const char* name, uint32_t bit, auto make) {
    all.push_back({name, [=](auto& o) { o.products = bit; }, make});
  };
  product("project_positions", TENON_PRODUCT_PROJECTION,
          [](tenon_workspace* w, Room& r) { return tenon_project_positions(w, nullptr, r.q.data(), r.nq); });
  product("project_velocities", TENON_PRODUCT_PROJECTION, [](tenon_workspace* w, Room& r) {
    return tenon_project_velocities(w, r.q.data(), r.nq, r.v.data(), r.nv);
  });
  product("impact", TENON_PRODUCT_PROJECTION, [](tenon_workspace* w, Room& r) {
    return tenon_impact(w, nullptr, 0, r.q.data(), r.nq, r.v.data(), r.nv, r.lambda.data(), r.m);
  });
  product("coriolis", TENON_PRODUCT_CORIOLIS, [](tenon_workspace* w, Room& r) {
    return tenon_coriolis_matrix(w, r.q.data(), r.nq, r.v.data(), r.nv, r.square.data(), r.nv * r.nv,
                                 static_cast<int32_t>(r.nv));
  });
  product("mass_matrix", TENON_PRODUCT_MASS_MATRIX, [](tenon_workspace* w, Room& r) {
    return tenon_mass_matrix(w, r.q.data(), r.nq, r.square.data(), r.nv * r.nv, static_cast<int32_t>(r.nv));
  });
  product("mass_matrix_factor", TENON_PRODUCT_MASS_MATRIX, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    tenon_status status = tenon_mass_matrix_factor(w, r.q.data(), r.nq);
    if (status == TENON_OK)
      status = tenon_mass_matrix_solve(w, 1, r.v.data(), r.nv, ld, r.x.data(), r.nv, ld);
    return status != TENON_OK ? status
                              : tenon_mass_matrix_multiply(w, 1, r.v.data(), r.nv, ld, r.x.data(), r.nv, ld);
  });
  product("mass_matrix_inverse_times", TENON_PRODUCT_INVERSE_MASS, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_mass_matrix_inverse_times(w, r.q.data(), r.nq, 1, r.v.data(), r.nv, ld, r.x.data(), r.nv,
                                           ld);
  });
  product("operational_space", TENON_PRODUCT_OPERATIONAL_SPACE, [](tenon_workspace* w, Room& r) {
    std::vector<double>& J_bar = r.wide;
    return tenon_operational_space(w, r.q.data(), r.nq, r.rows.data(), r.m * r.m, static_cast<int32_t>(r.m),
                                   r.m <= 6 ? J_bar.data() : nullptr, r.m * r.nv, static_cast<int32_t>(r.nv),
                                   r.square.data(), r.nv * r.nv, static_cast<int32_t>(r.nv), nullptr);
  });
  product("centroidal", TENON_PRODUCT_CENTROIDAL, [](tenon_workspace* w, Room& r) {
    tenon_status status = tenon_kinematics(w, r.q.data(), r.nq, r.v.data(), r.nv, nullptr, 0);
    if (status == TENON_OK) status = tenon_centroidal_momentum_matrix(w, r.wide.data(), 6 * r.nv, 6);
    return status != TENON_OK ? status : tenon_centroidal_momentum_bias(w, r.wide.data(), 6);
  });
  product("centroidal_momentum_derivatives", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const tenon_status status = tenon_kinematics(w, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv);
    return status != TENON_OK
               ? status
               : tenon_centroidal_momentum_derivatives(w, nullptr, nullptr, 0, nullptr, 0, 0, nullptr, 0, 0,
                                                       r.wide.data(), 6 * r.nv, 6, nullptr, 0, 0);
  });
  product("gravity_force_derivatives", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_gravity_force_derivatives(w, nullptr, r.q.data(), r.nq, r.x.data(), r.nv, r.square.data(),
                                           r.nv * r.nv, ld, nullptr, 0, 0);
  });
  product("underactuated", TENON_PRODUCT_UNDERACTUATED, [](tenon_workspace* w, Room& r) {
    return tenon_underactuated_inverse_dynamics(w, nullptr, 0, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(),
                                                r.nv, nullptr, 0, r.lambda.data(), r.m, r.x.data(), r.nv);
  });
  product("inverse_dynamics_derivatives", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_inverse_dynamics_derivatives(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(),
                                              r.nv, nullptr, 0, r.x.data(), r.nv, r.square.data(),
                                              r.nv * r.nv, ld, nullptr, 0, 0, nullptr, 0, 0);
  });
  product("forward_dynamics_derivatives", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_forward_dynamics_derivatives(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(),
                                              r.nv, nullptr, 0, r.x.data(), r.nv, r.square.data(),
                                              r.nv * r.nv, ld, nullptr, 0, 0, nullptr, 0, 0);
  });
  product("forward_dynamics_vjp", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    return tenon_forward_dynamics_vjp(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv,
                                      nullptr, 0, r.v.data(), r.nv, nullptr, 0, r.x.data(), r.nv, nullptr, 0,
                                      nullptr, 0);
  });
  product("constrained_dynamics_derivatives", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_constrained_dynamics_derivatives(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(),
                                                  r.nv, nullptr, 0, nullptr, 0, r.x.data(), r.nv,
                                                  r.lambda.data(), r.m, r.square.data(), r.nv * r.nv, ld,
                                                  nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0);
  });
  product("constrained_dynamics_parameter_derivatives", TENON_PRODUCT_DERIVATIVES,
          [](tenon_workspace* w, Room& r) {
            const auto ld = static_cast<int32_t>(r.nv + r.m);
            std::vector<double>& x = r.by_parameters;
            return tenon_constrained_dynamics_parameter_derivatives(
                w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv, nullptr, 0, nullptr, 0,
                r.x.data(), r.nv, r.lambda.data(), r.m, x.data(), x.size(), ld, nullptr, 0, 0, nullptr, 0, 0,
                nullptr, 0, 0);
          });
  product("constrained_dynamics_load_derivatives", TENON_PRODUCT_DERIVATIVES,
          [](tenon_workspace* w, Room& r) {
            const auto ld = static_cast<int32_t>(r.nv + r.m);
            const int32_t links[1] = {0};
            double* const x = r.by_parameters.data();
            return tenon_constrained_dynamics_load_derivatives(
                w, nullptr, links, 1, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv, nullptr, 0,
                nullptr, 0, r.x.data(), r.nv, r.lambda.data(), r.m, x, 6 * (r.nv + r.m), ld,
                x + 6 * (r.nv + r.m), 3 * (r.nv + r.m), ld);
          });
  product("constrained_dynamics_vjp", TENON_PRODUCT_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    return tenon_constrained_dynamics_vjp(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv,
                                          nullptr, 0, nullptr, 0, r.v.data(), r.nv, nullptr, 0, nullptr, 0,
                                          nullptr, 0, r.x.data(), r.nv, nullptr, 0, nullptr, 0, nullptr, 0);
  });
  product("constrained_dynamics_hessian", TENON_PRODUCT_SECOND_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    const auto ld = static_cast<int32_t>(r.nv);
    return tenon_constrained_dynamics_hessian(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(),
                                              r.nv, nullptr, 0, nullptr, 0, r.v.data(), r.nv, nullptr, 0,
                                              r.square.data(), r.nv * r.nv, ld, nullptr, 0, 0, nullptr, 0, 0,
                                              nullptr, 0, 0, nullptr, 0, 0);
  });
  product("constrained_dynamics_hvp", TENON_PRODUCT_SECOND_DERIVATIVES, [](tenon_workspace* w, Room& r) {
    return tenon_constrained_dynamics_hvp(w, nullptr, r.q.data(), r.nq, r.v.data(), r.nv, r.v.data(), r.nv,
                                          nullptr, 0, nullptr, 0, r.v.data(), r.nv, nullptr, 0, r.v.data(),
                                          r.nv, nullptr, 0, nullptr, 0, nullptr, 0, r.x.data(), r.nv, nullptr,
                                          0, nullptr, 0, nullptr, 0);
  });
  return all;
}

class WorkspaceOptions : public ::testing::TestWithParam<Robot> {};

// Each call alone on a workspace that has room for it alone, in spanning and in independent velocities.
TEST_P(WorkspaceOptions, GiveTheFirstCallItsMemory) {
  const Robot& robot = GetParam();
  tenon_model_options how;
  ASSERT_EQ(tenon_model_options_init(&how, sizeof how), TENON_OK);
  how.base = robot.base;
  how.loop_treatment = robot.treatment;
  tenon_model* made = nullptr;
  char message[512] = "";
  ASSERT_EQ(tenon_model_load_urdf(model_path(robot.name).c_str(), &how, &made, message, sizeof message),
            TENON_OK)
      << message;
  const Model model(made);
  Constraints set = constraints(model);
  for (const char* name : robot.points)
    ASSERT_EQ(
        tenon_constraints_add_point(set.get(), link(model, name), nullptr, 0, nullptr, nullptr, nullptr, 0),
        TENON_OK);
  if (robot.first) {
    ASSERT_EQ(
        tenon_constraints_add_closure(set.get(), link(model, robot.first), nullptr, 0,
                                      link(model, robot.second), nullptr, 0, nullptr, nullptr, nullptr, 0),
        TENON_OK);
  }
  ASSERT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);

  int unsupported = 0, first_calls_that_allocate = 0;
  for (const bool independent : {false, true}) {
    for (const Call& call : calls()) {
      SCOPED_TRACE(call.name + (independent ? ", independent velocities" : ""));
      for (const bool with_room : {false, true}) {
        const tenon_workspace_options options = options_with(with_room ? call.room : [](auto&) {});
        const Workspace w = workspace(model, set, &options);
        Room room(model, set);
        ASSERT_EQ(tenon_workspace_guess(w.get(), room.q.data(), room.nq), TENON_OK);
        if (independent) {
          ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING,
                                                    TENON_COORDINATES_INDEPENDENT),
                    TENON_OK);
          room.nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get()));
        }
        allocations = 0;
        watching = true;
        const tenon_status status = call.make(w.get(), room);
        watching = false;
        if (with_room) {
          EXPECT_EQ(allocations, 0);
          EXPECT_TRUE(status >= TENON_OK || status == TENON_UNSUPPORTED) << tenon_workspace_message(w.get());
          unsupported += status == TENON_UNSUPPORTED;
        } else {
          first_calls_that_allocate += allocations > 0;
        }
      }
    }
  }
  EXPECT_GT(first_calls_that_allocate, 20);
  EXPECT_LT(unsupported, 50) << "of " << 2 * calls().size();
}

INSTANTIATE_TEST_SUITE_P(
    Robots, WorkspaceOptions,
    ::testing::Values(
        Robot{"atlas", TENON_BASE_FLOATING, TENON_LOOP_TREATMENT_EMBED, {"l_foot", "r_foot"}, {}, {}},
        Robot{"atlas", TENON_BASE_FLOATING, TENON_LOOP_TREATMENT_EMBED, {}, "l_hand", "r_hand"},
        Robot{"mini_cheetah", TENON_BASE_FLOATING, TENON_LOOP_TREATMENT_EMBED, {"FR_knee_link"}, {}, {}},
        Robot{"cassie", TENON_BASE_FLOATING, TENON_LOOP_TREATMENT_EMBED, {"left-foot"}, {}, {}},
        Robot{"cassie", TENON_BASE_FLOATING, TENON_LOOP_TREATMENT_ROWS, {"left-foot"}, {}, {}}),
    [](const auto& robot) { return std::string(robot.param.name) + std::to_string(robot.index); });

// That of closing loops needs a robot with loops.
TEST(WorkspaceOptionsOf, LoopVelocities) {
  for (const int32_t treatment : {TENON_LOOP_TREATMENT_EMBED, TENON_LOOP_TREATMENT_ROWS}) {
    tenon_model_options how;
    ASSERT_EQ(tenon_model_options_init(&how, sizeof how), TENON_OK);
    how.loop_treatment = treatment;
    tenon_model* made = nullptr;
    ASSERT_EQ(tenon_model_load_urdf(model_path("cassie").c_str(), &how, &made, nullptr, 0), TENON_OK);
    const Model model(made);
    for (const bool with_room : {false, true}) {
      const tenon_workspace_options options =
          options_with([&](auto& o) { o.products = with_room ? TENON_PRODUCT_LOOP_VELOCITIES : 0; });
      const Workspace w = workspace(model, nullptr, &options);
      std::vector<double> q(static_cast<std::size_t>(tenon_model_nq(made))),
          v(static_cast<std::size_t>(tenon_model_nv(made)), 0.1);
      ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), q.size()), TENON_OK);
      allocations = 0;
      watching = true;
      const tenon_status status = tenon_close_loop_velocities(w.get(), closing_by(TENON_LOOP_MOVES_ALL),
                                                              q.data(), q.size(), v.data(), v.size());
      watching = false;
      EXPECT_EQ(status, TENON_OK) << tenon_workspace_message(w.get());
      EXPECT_EQ(allocations > 0, !with_room);
    }
  }
}

TEST(WorkspaceOptionsOf, InstructionSets) {
  const Model model = load("atlas", TENON_BASE_FLOATING);
  const Constraints set = welds(model, {"l_foot", "r_foot"});
  const std::string info = tenon_build_info();
  std::vector<std::vector<double>> results;
  for (int32_t instruction_set = 0; instruction_set < tenon_constant_count(TENON_CONSTANT_INSTRUCTION_SET);
       ++instruction_set) {
    const auto options = options_with([&](auto& o) { o.instruction_set = instruction_set; });
    tenon_workspace* made = nullptr;
    char message[512] = "";
    const tenon_status status =
        tenon_workspace_create(model.get(), set.get(), &options, &made, message, sizeof message);
    const Workspace w(made);
    const bool here =
        instruction_set < TENON_INSTRUCTION_SET_X86_64_V3 ||
        info.find(tenon_constant_name(TENON_CONSTANT_INSTRUCTION_SET, instruction_set)) != std::string::npos;
    ASSERT_EQ(status, here ? TENON_OK : TENON_UNSUPPORTED) << message;
    if (!here) continue;
    const int32_t runs = tenon_workspace_instruction_set(w.get());
    if (instruction_set == TENON_INSTRUCTION_SET_AUTOMATIC) {
      EXPECT_NE(info.find(tenon_constant_name(TENON_CONSTANT_INSTRUCTION_SET, runs)), std::string::npos)
          << info;
    } else {
      EXPECT_EQ(runs, instruction_set);
    }
    State s(model, w.get(), 1, 12), again = s;
    ASSERT_EQ(s.constrained(w.get()), TENON_OK);
    results.push_back(s.qdd);
    const auto named = options_with([&](auto& o) { o.instruction_set = runs; });
    ASSERT_EQ(again.constrained(workspace(model, set, &named).get()), TENON_OK);
    EXPECT_EQ(again.qdd, s.qdd);
  }
  for (const auto& qdd : results)
    for (std::size_t i = 0; i < qdd.size(); ++i) EXPECT_NEAR(qdd[i], results[0][i], 1e-6);
  EXPECT_EQ(tenon_workspace_instruction_set(nullptr), TENON_INVALID_ARGUMENT);
}

TEST(WorkspaceOptionsOf, WhatIsRefused) {
  const Model model = load("atlas");
  const auto refused = [&](const Change& change, tenon_status expected, const char* part) {
    const auto options = options_with(change);
    tenon_workspace* made = reinterpret_cast<tenon_workspace*>(&expected);
    char message[512] = "";
    EXPECT_EQ(tenon_workspace_create(model.get(), nullptr, &options, &made, message, sizeof message),
              expected);
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(std::string(message).find(part), std::string::npos) << message;
  };
  refused([](auto& o) { o.instruction_set = 99; }, TENON_INVALID_ARGUMENT, "instruction_set is 99");
  refused([](auto& o) { o.precision = 2; }, TENON_INVALID_ARGUMENT, "precision is 2");
  refused([](auto& o) { o.precision = TENON_PRECISION_SINGLE; }, TENON_UNSUPPORTED, "TENON_PRECISION_SINGLE");
  refused([](auto& o) { o.methods = 1U << tenon_constant_count(TENON_CONSTANT_METHOD); },
          TENON_INVALID_ARGUMENT, "TENON_METHOD_*");
  refused([](auto& o) { o.delassus_methods = 1U << 31; }, TENON_INVALID_ARGUMENT, "delassus_methods");
  refused([](auto& o) { o.damped_methods = 1U << 31; }, TENON_INVALID_ARGUMENT, "damped_methods");
  refused([](auto& o) { o.products = 0x400; }, TENON_INVALID_ARGUMENT, "TENON_PRODUCT_*");
  refused([](auto& o) { o.struct_size = 4; }, TENON_WRONG_SIZE, "struct_size");
}

}  // namespace
