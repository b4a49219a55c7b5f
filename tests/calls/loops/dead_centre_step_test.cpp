// A step near a dead centre gives a motion that the forces can have made, or refuses and leaves the state as it was:
// Cassie, without the springs that keep its legs from it, stands on welded feet and falls through a dead centre.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

class DeadCentreStep : public ::testing::TestWithParam<LoopTreatment> {};

TEST_P(DeadCentreStep, MakesNoEnergyAndOpensNoLoop) {
  CompileOptions compile;
  compile.floating_base = true;
  compile.loops = GetParam();
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/cassie.urdf"), compile);
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < model->links.size(); ++i)
    if (model->links[i].name == "left-foot" || model->links[i].name == "right-foot") {
      specs.push_back(weld_constraint(static_cast<int>(i), {}, RowAxes::world));
      specs.back().frequency = 20;
    }
  ASSERT_EQ(specs.size(), 2u);
  struct Way {
    decltype(&step_runge_kutta_4) step;
    double dt, most_gained;
  };
  // Forces go as far as the integrator is right: of first order, it makes some energy at 100 rad/s.
  for (const auto& [step, dt, most_gained] :
       {Way{step_runge_kutta_4, 1e-3, 0.1}, Way{step_semi_implicit_euler, 1e-4, 5}}) {
    Workspace w(model, ConstraintSet::bind(model, specs));
    std::vector<double> q(static_cast<std::size_t>(model->nq)), v(static_cast<std::size_t>(model->nv)),
        tau(v);
    neutral(w, q.data());
    ASSERT_EQ(anchor_here(w, q.data()), Status::ok);
    const auto energy_here = [&] {
      double kinetic = 0, potential = 0;
      EXPECT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
      EXPECT_EQ(energy(w, &kinetic, &potential), Status::ok);
      return kinetic + potential;
    };
    const double start = energy_here();
    bool refused = false;
    for (int k = 0; k < 0.5 / dt && !refused; ++k) {
      const std::vector<double> q_before = q, v_before = v;
      const Status status = step(w, {}, dt, q.data(), v.data(), tau.data(), nullptr, nullptr, nullptr);
      if (static_cast<int>(status) < 0) {
        refused = true;
        EXPECT_EQ(status, Status::singular_configuration) << w.message();
        EXPECT_NE(std::string(w.message()).find("shorter step"), std::string::npos) << w.message();
        EXPECT_EQ(q, q_before);
        EXPECT_EQ(v, v_before);
        break;
      }
      LoopState loops;
      ASSERT_EQ(check_loops(w, q.data(), v.data(), loops), Status::ok);
      ASSERT_LE(loops.position_gap, 0.01) << "after " << k << " steps";
      const double gained = energy_here() - start;
      ASSERT_LE(gained, most_gained) << "after " << k << " steps";
    }
    EXPECT_TRUE(refused || step == step_semi_implicit_euler);
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, DeadCentreStep, ::testing::Values(LoopTreatment::embed, LoopTreatment::rows),
                         [](const auto& test) {
                           return test.param == LoopTreatment::embed ? "embedded" : "by_rows";
                         });

}  // namespace
}  // namespace tenon::testing
