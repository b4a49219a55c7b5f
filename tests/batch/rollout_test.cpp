// Rollouts against steps of a workspace.
#include <gtest/gtest.h>

#include <string>

#include "batch/batch_states.hpp"
#include "support/moving.hpp"

namespace tenon::testing {
namespace {

constexpr std::size_t steps = 12, every = 3;

void expect_as_steps(States<double> s, bool runge_kutta, Instructions here, double tolerance) {
  const auto& set = s.set;
  Batch batch(s.model, set, batch_options(false, here));
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count, records = steps / every;
  std::vector<double> tau(s.count * steps * nv);
  Random random(9);
  for (double& x : tau) x = random.uniform(-1, 1);
  BatchCall call = s.call(BatchFunction::rollout);
  call.steps = steps, call.every = every, call.dt = 1e-3, call.runge_kutta = runge_kutta;
  call.x = array_of(tau, steps * nv);
  call.x.record_stride = static_cast<std::ptrdiff_t>(nv);
  std::vector<double> q(s.count * records * nq), v(s.count * records * nv);
  call.out[0] = array_of(q, records * nq), call.out[0].record_stride = static_cast<std::ptrdiff_t>(nq);
  call.out[1] = array_of(v, records * nv), call.out[1].record_stride = static_cast<std::ptrdiff_t>(nv);
  s.give_rows(batch);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();

  Workspace w(s.model, set);
  SolveOptions options;
  const auto step = runge_kutta ? step_runge_kutta_4 : step_semi_implicit_euler;
  const std::size_t wrenches = s.wrenches.size() / s.count;
  for (std::size_t i = 0; i < s.count; ++i) {
    double *qi = &s.q[i * nq], *vi = &s.v[i * nv];
    s.give_rows(w, i);
    for (std::size_t k = 0; k < steps; ++k) {
      const Status status = step(w, options, call.dt, qi, vi, &tau[(i * steps + k) * nv],
                                 &s.wrenches[i * wrenches], nullptr, nullptr);
      ASSERT_GE(static_cast<std::int32_t>(status), 0) << w.message();
      if ((k + 1) % every != 0) continue;
      const std::size_t record = i * records + k / every;
      EXPECT_LE(difference(&q[record * nq], qi, nq), tolerance) << i << ' ' << k;
      EXPECT_LE(difference(&v[record * nv], vi, nv), tolerance) << i << ' ' << k;
    }
  }
}

TEST(Rollout, IsThatOfSingleSteps) {
  for (const Instructions here : instruction_sets_here()) {
    for (const std::uint64_t seed : {2, 6, 13, 17}) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(seed, 12);
      if (robot.model->nv == 0) continue;
      for (const bool runge_kutta : {false, true}) {
        expect_as_steps(States<double>(robot, nullptr, 10, 4), runge_kutta, here, 1e-12);
        Random random(seed);
        ConstraintOptions options;
        options.most_rows = 6;
        const auto set = ConstraintSet::bind(robot.model, random_constraints(random, *robot.model, options));
        States<double> s(robot, set, 10, 4);
        expect_as_steps(s, runge_kutta, here, 1e-10);
        s.draw_rows(seed);
        expect_as_steps(s, runge_kutta, here, 1e-10);
      }
    }
  }
}

TEST(Rollout, OfLoopsAndRotorsIsThatOfSingleSteps) {
  for (const Instructions here : instruction_sets_here()) {
    for (const char* name : {"four_bar", "mini_cheetah", "cassie"}) {
      SCOPED_TRACE(name);
      const LoopScene scene = model_scene(name, std::string(name) != "four_bar");
      States<double> s(scene.model, nullptr, 10, 4);
      for (std::size_t i = 0; i < s.count; ++i)
        std::copy(scene.q.begin(), scene.q.end(),
                  s.q.begin() + static_cast<std::ptrdiff_t>(i) * scene.q.size());
      std::fill(s.wrenches.begin(), s.wrenches.end(), 0.0);
      for (const bool runge_kutta : {false, true}) expect_as_steps(s, runge_kutta, here, 1e-9);
    }
  }
}

TEST(Rollout, AStateThatFailsKeepsItsRecordsAndSpoilsNoOther) {
  const Robot robot = random_robot(6, 8);
  Batch batch(robot.model, nullptr, batch_options());
  States<double> s(robot, nullptr, 9, 4);
  const std::size_t nv = s.v.size() / s.count;
  std::vector<double> tau(s.count * steps * nv, 0.1);
  BatchCall call = s.call(BatchFunction::rollout);
  call.steps = steps, call.dt = 1e-3;
  call.x = array_of(tau, steps * nv), call.x.record_stride = static_cast<std::ptrdiff_t>(nv);
  std::vector<double> v(s.count * steps * nv, -77);
  call.out[1] = array_of(v, steps * nv), call.out[1].record_stride = static_cast<std::ptrdiff_t>(nv);
  call.out[0].data = nullptr;
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  const std::vector<double> expected = v;
  tau[(5 * steps + 7) * nv] = std::nan("");
  std::fill(v.begin(), v.end(), -77);
  EXPECT_EQ(batch.run(call), Status::not_finite);
  EXPECT_NE(std::string(batch.message()).find("state 5: tau"), std::string::npos) << batch.message();
  for (std::size_t k = 0; k < v.size(); ++k) {
    const std::size_t state = k / (steps * nv), step = k / nv % steps;
    if (state == 5 && step >= 7)
      EXPECT_EQ(v[k], -77);
    else
      EXPECT_NEAR(v[k], expected[k], 1e-9 * std::max(1.0, std::abs(expected[k])));
  }
}

}  // namespace
}  // namespace tenon::testing
