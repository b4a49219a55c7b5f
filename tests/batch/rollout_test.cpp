// Rollouts against steps of a workspace.
#include <gtest/gtest.h>

#include <string>

#include "batch/batch_states.hpp"
#include "support/moving.hpp"
#include "tenon/constraints.hpp"

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
  call.steps = steps, call.every = every, call.dt = 1e-3,
  call.integrator = runge_kutta ? Integrator::runge_kutta_4 : Integrator::semi_implicit_euler;
  call.x = array_of(tau, steps * nv);
  call.x.record_stride = static_cast<std::ptrdiff_t>(nv);
  std::vector<double> q(s.count * records * nq), v(s.count * records * nv);
  call.out[0] = array_of(q, records * nq), call.out[0].record_stride = static_cast<std::ptrdiff_t>(nq);
  call.out[1] = array_of(v, records * nv), call.out[1].record_stride = static_cast<std::ptrdiff_t>(nv);
  s.give_rows(batch);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();

  std::unique_ptr<Workspace> workspace = s.workspace(0);
  SolveOptions options;
  const auto step = runge_kutta ? step_runge_kutta_4 : step_semi_implicit_euler;
  const std::size_t wrenches = s.wrenches.size() / s.count;
  for (std::size_t i = 0; i < s.count; ++i) {
    double *qi = &s.q[i * nq], *vi = &s.v[i * nv];
    if (!s.specs.empty()) workspace = s.workspace(i);
    Workspace& w = *workspace;
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
        s.draw_row_numbers(seed);
        expect_as_steps(s, runge_kutta, here, 1e-8);
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

// A controller, wrenches of each step, accelerations and multipliers, of robots of their own: against steps on models
// compiled anew, with torques computed here.
template <class N>
void expect_as_controlled_steps(const Robot& robot, const std::shared_ptr<const ConstraintSet>& set,
                                bool runge_kutta, Instructions here, double tolerance) {
  States<N> s(robot, set, 10, 4);
  s.draw_robots(robot.mechanism, robot.options, 6);
  std::fill(s.damping.begin(), s.damping.end(), N(0)), std::fill(s.friction.begin(), s.friction.end(), N(0));
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count, rows = s.desired.size() / s.count,
                    forces = s.wrenches.size() / s.count, records = steps / every;
  Random random(9);
  const auto drawn = [&](std::size_t numbers, double reach) {
    std::vector<N> list(s.count * numbers);
    for (N& x : list) x = static_cast<N>(random.uniform(-reach, reach));
    return list;
  };
  std::vector<N> tau = drawn(steps * nv, 1), wrenches = drawn(steps * forces, 1), damping = drawn(nv, 1),
                 stiffness = drawn(nv, 5), q_target = drawn(steps * nq, 1), v_target = drawn(steps * nv, 1);
  for (std::size_t i = 0; i < s.count; ++i)
    for (const Model::Joint& joint : robot.model->joints)
      if (joint.nv > 1)
        std::fill_n(&stiffness[i * nv + static_cast<std::size_t>(joint.v_index)], joint.nv, N(0));
  std::vector<N> q(s.count * records * nq), v(s.count * records * nv), qdd(v),
      lambda(s.count * records * rows);
  BatchCall call = s.call(BatchFunction::rollout);
  call.steps = steps, call.every = every, call.dt = 1e-3,
  call.integrator = runge_kutta ? Integrator::runge_kutta_4 : Integrator::semi_implicit_euler;
  const auto of_steps = [](std::vector<N>& list, std::size_t numbers, std::size_t count) {
    BatchArray a = array_of(list, numbers * count);
    a.record_stride = static_cast<std::ptrdiff_t>(numbers);
    return a;
  };
  call.x = of_steps(tau, nv, steps), call.wrenches = of_steps(wrenches, forces, steps);
  call.feedback = {array_of(stiffness, nv), array_of(damping, nv), of_steps(q_target, nq, steps),
                   of_steps(v_target, nv, steps)};
  call.out[0] = of_steps(q, nq, records), call.out[1] = of_steps(v, nv, records);
  call.out[2] = of_steps(qdd, nv, records);
  if (rows > 0) call.out[3] = of_steps(lambda, rows, records);
  Batch batch(robot.model, set, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();

  const auto step = runge_kutta ? step_runge_kutta_4 : step_semi_implicit_euler;
  const auto as_double = [](const std::vector<N>& list, std::size_t first, std::size_t count) {
    return std::vector<double>(list.begin() + static_cast<std::ptrdiff_t>(first),
                               list.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  for (std::size_t i = 0; i < s.count; ++i) {
    const auto w = s.workspace(i);
    std::vector<double> qi = as_double(s.q, i * nq, nq), vi = as_double(s.v, i * nv, nv), a(nv), force(rows);
    for (std::size_t k = 0; k < steps; ++k) {
      const std::size_t at = i * steps + k;
      std::vector<double> applied = as_double(tau, at * nv, nv);
      for (const Model::Joint& joint : robot.model->joints)
        for (int d = 0; d < joint.nv; ++d) {
          const std::size_t e = static_cast<std::size_t>(joint.v_index + d),
                            p = static_cast<std::size_t>(joint.q_index);
          applied[e] +=
              static_cast<double>(damping[i * nv + e]) * (static_cast<double>(v_target[at * nv + e]) - vi[e]);
          if (joint.nv == 1)
            applied[e] += static_cast<double>(stiffness[i * nv + e]) *
                          (static_cast<double>(q_target[at * nq + p]) - qi[p]);
        }
      const std::vector<double> wrench = as_double(wrenches, at * forces, forces);
      const Status status =
          step(*w, {}, call.dt, qi.data(), vi.data(), applied.data(), wrench.data(), a.data(), force.data());
      ASSERT_GE(static_cast<std::int32_t>(status), 0) << w->message();
      if ((k + 1) % every != 0) continue;
      const auto expect_record = [&](const std::vector<N>& list, const std::vector<double>& expected) {
        const std::vector<double> found =
            as_double(list, (i * records + k / every) * expected.size(), expected.size());
        EXPECT_LE(difference(found.data(), expected.data(), expected.size()), tolerance) << i << ' ' << k;
      };
      expect_record(q, qi), expect_record(v, vi), expect_record(qdd, a);
      if (rows > 0) expect_record(lambda, force);
    }
  }
}

TEST(Rollout, FollowsAControllerAndTellsAccelerations) {
  for (const Instructions here : instruction_sets_here())
    for (const bool runge_kutta : {false, true}) {
      for (const std::uint64_t seed : {2, 6, 13, 17}) {
        SCOPED_TRACE(seed);
        const Robot robot = random_robot(seed, 12);
        if (robot.model->nv == 0) continue;
        expect_as_controlled_steps<double>(robot, nullptr, runge_kutta, here, 1e-11);
        expect_as_controlled_steps<float>(robot, nullptr, runge_kutta, here, 5e-3);
      }
      const Robot walker = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
      const auto set = ConstraintSet::bind(walker.model, {point_constraint(5, {0.1, 0.2, 0})});
      expect_as_controlled_steps<double>(walker, set, runge_kutta, here, 1e-8);
    }
}

TEST(Rollout, AControllerHoldsJointsOfOneCoordinate) {
  const Robot robot = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  Batch batch(robot.model, nullptr, batch_options());
  States<double> s(robot, nullptr, 5, 3);
  BatchCall call = s.call(BatchFunction::rollout);
  call.steps = 2, call.every = 2, call.dt = 1e-3;
  std::vector<double> stiffness(s.v.size(), 0.0);
  const std::size_t nv = s.v.size() / s.count;
  call.feedback = {array_of(stiffness, nv), {}, call.q, {}};
  EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
  stiffness[3 * nv + 2] = 1;
  EXPECT_EQ(batch.run(call), Status::unsupported);
  EXPECT_NE(
      std::string(batch.message()).find("stiffness 1 of coordinate 2 in state 3, of the joint 'root_joint'"),
      std::string::npos)
      << batch.message();
}

}  // namespace
}  // namespace tenon::testing
