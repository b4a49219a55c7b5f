// What changes settings allocates nothing, nor do computations after it.
#include <vector>

#include "fixture.hpp"

using namespace tenon_test;

namespace {

// A gait changes rows between any two calls. Every method has its memory before.
TEST_F(Allocation, NoneWhereRowsChange) {
  State s(model, w.get(), 1, 19);
  const double weights[6] = {1, 2, 3, 1, 2, 3}, soft[6] = {1e-3, 1, 1e-3, 1e-3, 0, 1e-3};
  tenon_solve_options options;
  ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
  for (int round = 0; round < 3; ++round) {
    for (options.method = 0; options.method < tenon_constant_count(TENON_CONSTANT_METHOD); ++options.method) {
      const auto solve = [&] { return s.constrained(w.get(), &options); };
      if (round == 0)
        solve();
      else
        expect_none(tenon_constant_name(TENON_CONSTANT_METHOD, options.method), solve);
    }
    const int32_t on = round % 2;
    expect_none("set_active", [&] { return tenon_workspace_set_active(w.get(), 0, on); });
    expect_none("set_gains", [&] { return tenon_workspace_set_gains(w.get(), 1, 5.0 * on, 1); });
    expect_none("set_weights", [&] { return tenon_workspace_set_weights(w.get(), 1, weights, 6); });
    expect_none("set_compliance",
                [&] { return tenon_workspace_set_compliance(w.get(), 1, on ? nullptr : soft, 6); });
    const int32_t active[5] = {1, on, 1, on, 1};
    const double gains[5] = {2.0 * on, 3, 0, 1, 1};
    expect_none("set_constraints", [&] {
      return tenon_workspace_set_constraints(w.get(), active, 5, gains, 5, gains, 5, nullptr, 0, nullptr, 0,
                                             nullptr, 0, nullptr, 0);
    });
  }
}

// A gripper takes and leaves a load between any two calls.
TEST_F(Allocation, NoneWhereLoadsAndFrictionChange) {
  State s(model, w.get(), 1, 19);
  const std::vector<double> friction(static_cast<size_t>(tenon_model_nv(model.get())), 0.1);
  const double center[3] = {0, 0.1, 0};
  const auto load = [&](double mass) {
    return tenon_workspace_set_payload(w.get(), 2, mass, center, 3, nullptr, 0);
  };
  const auto rub = [&] {
    return tenon_workspace_set_joint_parameters(w.get(), nullptr, 0, friction.data(), friction.size(),
                                                friction.data(), friction.size());
  };
  ASSERT_EQ(load(1), TENON_OK);
  ASSERT_EQ(rub(), TENON_OK);
  for (const double mass : {2.0, 0.0, 1.0}) {
    expect_none("set_payload", [&] { return load(mass); });
    expect_none("set_joint_parameters", rub);
    expect_none("forward", [&] { return s.forward(w.get()); });
    expect_none("constrained", [&] { return s.constrained(w.get(), nullptr); });
  }
}

}  // namespace
