// Dynamics and rollouts of many states in independent velocities, side by side: those of single calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "batch/loop_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(30, test_robots() / 40);

// States that packs computed, and that have a result.
struct Counted {
  std::size_t packed = 0, good = 0;  // states
};

TEST(IndependentVelocitiesBatch, DynamicsAreThoseOfSingleCalls) {
  Counted counted;
  const auto check = [&](LoopStatesWithRows& scene, BatchFunction function, Instructions here) {
    SCOPED_TRACE(static_cast<int>(function));
    LoopStates<double>& s = scene.s;
    const bool hits = function == BatchFunction::impact,
               rows = (hits || function == BatchFunction::constrained_dynamics) && s.m > 0,
               inverse = function == BatchFunction::inverse_dynamics;
    List out(s.count * s.nv, -77), lambda(s.count * s.m, -77), restitution(1, 0.4);
    BatchCall c;
    c.function = function, c.states = s.count;
    s.status.assign(s.count, 77), c.status = s.status.data();
    c.q = array_of(s.q, s.nq), c.v = array_of(s.v, s.nv), c.x = array_of(s.x, s.nv);
    c.wrenches = array_of(s.wrenches, s.forces), c.out[0] = array_of(out, s.nv);
    if (rows) c.desired = array_of(s.desired, s.m), c.out[1] = array_of(lambda, s.m);
    if (hits)
      c.x = c.wrenches = c.desired = {}, c.restitution.data = restitution.data(),
      c.restitution.number_stride = 0;
    Batch batch(s.model, s.set, batch_options(false, here));
    scene.place(batch);
    batch.run(c);
    counted.packed += batch.packed();
    for (std::size_t i = 0; i < s.count; ++i) {
      const std::unique_ptr<Workspace> w = scene.workspace(i);
      const List q = part(s.q, i, s.nq), v = part(s.v, i, s.nv), x = part(s.x, i, s.nv),
                 f = part(s.wrenches, i, s.forces), k = part(s.desired, i, s.m);
      List expected(s.nv), force(s.m);
      Inputs<double> in = {q.data(), v.data(), x.data(), f.data()};
      if (rows) in.desired = k.data();
      if (inverse) in.tau = nullptr, in.qdd = x.data();
      if (hits) expected = v;
      const Status status = inverse ? inverse_dynamics(*w, in, expected.data())
                            : hits
                                ? impact(*w, restitution.data(), 1, q.data(), expected.data(), force.data())
                            : function == BatchFunction::forward_dynamics
                                ? forward_dynamics(*w, in, expected.data())
                                : constrained_dynamics(*w, {}, in, expected.data(), force.data());
      ASSERT_EQ(s.status[i] < 0, static_cast<std::int32_t>(status) < 0) << w->message() << batch.message();
      if (static_cast<std::int32_t>(status) < 0) continue;
      ++counted.good;
      EXPECT_LE(difference(&out[i * s.nv], expected.data(), s.nv),
                1e-9 * larger(1.0, size_of(expected) / 1e4))
          << i;
    }
  };
  for (const Instructions here : with_packs())
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const LoopScene loops = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
      if (loops.model->data().cluster_count == 0) continue;
      Random random(static_cast<std::uint64_t>(seed));
      LoopStatesWithRows scene(loops, random_point(random, loops.model), Coordinates::independent, 9);
      if (!scene.s.usable) continue;
      if (seed % 3 == 1)
        scene.settings.draw_robots(loops.mechanism, loops.options, static_cast<std::uint64_t>(seed));
      for (const BatchFunction function : {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics,
                                           BatchFunction::constrained_dynamics, BatchFunction::impact})
        check(scene, function, here);
    }
  if (!with_packs().empty()) {
    EXPECT_GE(10 * counted.packed, 8 * counted.good);
  }
}

TEST(IndependentVelocitiesBatch, RolloutsAreThoseOfSingleSteps) {
  constexpr std::size_t steps = 6, every = 2, records = steps / every;
  Counted counted;
  const auto check = [&](LoopStatesWithRows& scene, bool runge_kutta, bool unique_forces) {
    LoopStates<double>& s = scene.s;
    List tau = s.drawn(steps * s.nv), results[4];
    const std::size_t numbers[] = {s.nq, s.nv, s.nv, s.m};
    BatchCall c;
    c.function = BatchFunction::rollout, c.states = s.count, c.dt = 1e-3;
    c.steps = steps, c.every = every;
    c.integrator = runge_kutta ? Integrator::runge_kutta_4 : Integrator::semi_implicit_euler;
    const auto of_records = [](List& list, std::size_t n, std::size_t count) {
      BatchArray a = array_of(list, n * count);
      a.record_stride = static_cast<std::ptrdiff_t>(n);
      return a;
    };
    s.status.assign(s.count, 77), c.status = s.status.data();
    c.q = array_of(s.q, s.nq), c.v = array_of(s.v, s.nv), c.x = of_records(tau, s.nv, steps);
    c.wrenches = array_of(s.wrenches, s.forces);
    for (std::size_t r = 0; r < 4; ++r) {
      results[r].assign(s.count * records * numbers[r], -77);
      if (numbers[r] > 0) c.out[r] = of_records(results[r], numbers[r], records);
    }
    Batch batch(s.model, s.set, batch_options());
    scene.place(batch);
    batch.run(c);
    counted.packed += batch.packed();
    for (std::size_t i = 0; i < s.count; ++i) {
      const std::unique_ptr<Workspace> w = scene.workspace(i);
      List q = part(s.q, i, s.nq), v = part(s.v, i, s.nv), a(s.nv), lambda(s.m);
      const List f = part(s.wrenches, i, s.forces);
      Status status = Status::ok;
      for (std::size_t k = 0; k < steps; ++k) {
        status =
            std::max(status, step_in_time(*w, c.integrator, {}, c.dt, q.data(), v.data(),
                                          &tau[(i * steps + k) * s.nv], f.data(), a.data(), lambda.data()));
        if (static_cast<std::int32_t>(status) < 0) break;
        if ((k + 1) % every != 0) continue;
        const std::size_t at = i * records + k / every;
        const List* const expected[] = {&q, &v, &a, &lambda};
        for (std::size_t r = 0; r < 4; ++r) {
          // Forces of rows that nothing moves are any.
          if (numbers[r] == 0 || (r == 3 && !unique_forces)) continue;
          const double scale = larger(1.0, size_of(*expected[r]) / 1e3);
          EXPECT_LE(difference(&results[r][at * numbers[r]], expected[r]->data(), numbers[r]), 1e-8 * scale)
              << i << " " << k << " " << r;
        }
      }
      EXPECT_EQ(s.status[i] < 0, static_cast<std::int32_t>(status) < 0) << w->message();
      counted.good += static_cast<std::int32_t>(status) >= 0;
    }
  };
  for (const bool runge_kutta : {false, true}) {
    for (const bool welded : {false, true}) {
      const Feet feet(welded);
      LoopStatesWithRows scene(feet.loops, feet.set, Coordinates::independent, 9);
      check(scene, runge_kutta, true);
    }
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const LoopScene loops = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
      if (loops.model->data().cluster_count == 0) continue;
      Random random(static_cast<std::uint64_t>(seed));
      LoopStatesWithRows scene(loops, seed % 2 == 0 ? random_point(random, loops.model) : nullptr,
                               Coordinates::independent, 5);
      if (!scene.s.usable) continue;
      if (seed % 3 == 1)
        scene.settings.draw_robots(loops.mechanism, loops.options, static_cast<std::uint64_t>(seed));
      check(scene, runge_kutta, false);
    }
  }
  if (packs_by_choice()) {
    EXPECT_GE(2 * counted.packed, counted.good);
  }
}

}  // namespace
}  // namespace tenon::testing
