// Loops stay closed in motion, embedded or by rows: linkages and Cassie fall from rest without friction,
// every step projected (bench/studies/long_runs.cpp runs for a minute).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/largest.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

class LoopSimulation : public ::testing::TestWithParam<std::tuple<const char*, LoopTreatment>> {};

TEST_P(LoopSimulation, StaysClosedAndKeepsItsEnergy) {
  const std::string name = std::get<0>(GetParam());
  CompileOptions options;
  const bool legs = name == "cassie";
  if (!legs) options.gravity = {0, -7, -7};  // linkages in any plane fall
  options.loops = std::get<1>(GetParam());
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/" + name + ".urdf"), options);
  EXPECT_EQ(model->row_loops.empty(), options.loops == LoopTreatment::embed);
  Workspace w(model);
  std::vector<double> q = model->loops.closed, v(static_cast<std::size_t>(model->nv)), tau(v.size());
  double kinetic = 0, potential = 0, most = 0, start = 0, worst_gap = 0, worst_energy = 0;
  ASSERT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
  ASSERT_EQ(energy(w, &kinetic, &start), Status::ok);
  // Without their springs Cassie's legs soon come to a stretched rod; but they must have begun to fall.
  const int steps = legs ? std::max(40, test_robots() / 10) : test_robots();
  for (int step = 0; step < steps; ++step) {
    double gap = 0;
    ASSERT_EQ(step_runge_kutta_4(w, {}, 1e-3, q.data(), v.data(), tau.data(), nullptr, nullptr, nullptr),
              Status::ok)
        << w.message();
    ASSERT_EQ(close_loops(w, LoopMoves::all, q.data(), &gap), Status::ok) << w.message();
    ASSERT_EQ(project_velocity(w, LoopMoves::all, q.data(), v.data()), Status::ok) << w.message();
    ASSERT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
    ASSERT_EQ(energy(w, &kinetic, &potential), Status::ok);
    worst_gap = larger(worst_gap, gap);
    most = larger(most, kinetic);
    worst_energy = larger(worst_energy, std::abs(kinetic + potential - start));
  }
  EXPECT_LT(worst_gap, 1e-9);
  EXPECT_GT(most, 0.01) << "nothing moved";
  EXPECT_LT(worst_energy, 1e-5 * most);
}

INSTANTIATE_TEST_SUITE_P(Models, LoopSimulation,
                         ::testing::Combine(::testing::Values("four_bar", "six_bar", "strandbeest_leg",
                                                              "cassie"),
                                            ::testing::Values(LoopTreatment::embed, LoopTreatment::rows)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) == LoopTreatment::embed ? "_embedded"
                                                                                   : "_by_rows");
                         });

}  // namespace
}  // namespace tenon::testing
