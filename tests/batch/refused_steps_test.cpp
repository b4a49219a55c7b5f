// Steps in time that single calls refuse (calls/step_check.hpp) are refused in batches, and no others: linkages and Cassie from
// hundreds of random closed configurations, in steps long enough to pass dead centres between their stages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using List = std::vector<double>;

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::runge_kutta_4};
const std::size_t states = static_cast<std::size_t>(std::max(40, test_robots() / 4));
constexpr double none = -77;  // what nothing has written

// Closed configurations, and velocities that keep them closed, of a speed of the mechanism's own in each state: zero in some.
struct Mechanisms {
  Mechanisms(const std::string& name, std::shared_ptr<const Model> model_, const Eigen::VectorXd& start,
             Coordinates velocities_, std::size_t count_, double reach, double speed)
      : model(std::move(model_)), velocities(velocities_), count(count_), random(name.size() + count_) {
    const Model& m = *model;
    nq = index(m.nq), nv = index(velocities == Coordinates::independent ? m.ny : m.nv);
    forces = 6 * m.links.size();
    Workspace w(model);
    List at(nq), rate(index(m.nv)), slow(index(m.ny)), fast(index(m.nv));
    while (q.size() < count * nq) {
      for (double& e : rate) e = random.uniform(-reach, reach);
      EXPECT_EQ(integrate(w, start.data(), rate.data(), 1.0, at.data()), Status::ok);
      if (close_loops(w, LoopMoves::all, at.data(), nullptr) != Status::ok) continue;
      const double size = q.size() / nq % 3 == 0 ? 0 : speed;
      for (double& e : slow) e = random.uniform(-size, size);
      if (spanning_velocity(w, at.data(), slow.data(), fast.data()) != Status::ok) continue;
      const List& given = velocities == Coordinates::independent ? slow : fast;
      q.insert(q.end(), at.begin(), at.end()), v.insert(v.end(), given.begin(), given.end());
    }
    tau = drawn(nv, 4), wrenches = drawn(forces, 4);
    for (std::size_t i = 0; i < count; i += 2)  // of half of them gravity alone is to be seen
      std::fill_n(&tau[i * nv], nv, 0.0), std::fill_n(&wrenches[i * forces], forces, 0.0);
  }
  List drawn(std::size_t numbers, double size) {
    List list(count * numbers);
    for (double& e : list) e = random.uniform(-size, size);
    return list;
  }
  void place(Workspace& w) const {
    EXPECT_EQ(set_coordinates(w, Coordinates::spanning, velocities), Status::ok) << w.message();
  }
  BatchCall call(BatchFunction function, Integrator integrator, double dt) {
    BatchCall c;
    c.function = function, c.states = count, c.integrator = integrator, c.dt = dt;
    c.q = array_of(q, nq), c.v = array_of(v, nv), c.x = array_of(tau, nv);
    if (with_wrenches) c.wrenches = array_of(wrenches, forces);
    status.assign(count, 77), c.status = status.data();
    return c;
  }

  std::shared_ptr<const Model> model;
  Coordinates velocities;
  std::size_t count, nq = 0, nv = 0, forces = 0;
  Random random;
  List q, v, tau, wrenches;
  bool with_wrenches = true;
  std::vector<std::int32_t> status;
};

struct Counts {
  std::size_t steps = 0, refused = 0, packed = 0;
};

// As those of a batch: in steps of hundreds of turns rounding errors decide whether loops can be closed.
WorkspaceOptions single_calls(Instructions here) {
  WorkspaceOptions options;
  options.instructions = here == Instructions::x86_64_v4 ? Instructions::x86_64_v3 : here;
  return options;
}

// A rollout, each of whose records is a step of a single call from the record before.
void expect_steps_of_single_calls(Mechanisms& s, std::shared_ptr<const ConstraintSet> set,
                                  Integrator integrator, double dt, std::size_t steps, Instructions here,
                                  Counts& counts) {
  Batch batch(s.model, set, batch_options(false, here));
  batch.change([&](Workspace& each) { s.place(each); });
  Workspace w(s.model, set, single_calls(here));
  s.place(w);
  BatchCall call = s.call(BatchFunction::rollout, integrator, dt);
  call.steps = steps, call.every = 1;
  List q(s.count * steps * s.nq, none), v(s.count * steps * s.nv, none);
  call.out[0] = array_of(q, steps * s.nq), call.out[0].record_stride = static_cast<std::ptrdiff_t>(s.nq);
  call.out[1] = array_of(v, steps * s.nv), call.out[1].record_stride = static_cast<std::ptrdiff_t>(s.nv);
  batch.run(call);
  counts.packed += batch.packed();
  for (std::size_t i = 0; i < s.count; ++i) {
    SCOPED_TRACE(i);
    List qi = part_of(s.q, i, s.nq), vi = part_of(s.v, i, s.nv);
    for (std::size_t k = 0; k < steps; ++k) {
      const List at = part_of(q, i * steps + k, s.nq), rate = part_of(v, i * steps + k, s.nv);
      const bool written = rate[0] != none;
      const Status alone =
          step_in_time(w, integrator, {}, dt, qi.data(), vi.data(), &s.tau[i * s.nv],
                       s.with_wrenches ? &s.wrenches[i * s.forces] : nullptr, nullptr, nullptr);
      ++counts.steps, counts.refused += alone == Status::singular_configuration;
      ASSERT_EQ(written, static_cast<std::int32_t>(alone) >= 0) << k << ": " << w.message();
      if (!written) {
        EXPECT_EQ(s.status[i], static_cast<std::int32_t>(alone)) << k << ": " << w.message();
        break;
      }
      // Next to a dead centre steps magnify rounding errors, and where all bars lie on one line gaps of 1e-9 m.
      EXPECT_LE(difference(at.data(), qi.data(), s.nq), 1e-3) << k;
      EXPECT_LE(difference(rate.data(), vi.data(), s.nv), 1e-6) << k;
      qi = at, vi = rate;
    }
    if (q[((i + 1) * steps - 1) * s.nq] != none) {
      EXPECT_GE(s.status[i], 0);
    }
  }
}

struct Case {
  const char* name;
  bool floating;
  double dt, reach, speed;
};
constexpr Case cases[] = {{"cassie", true, 0.01, 0.6, 2},
                          {"cassie", true, 0.003, 0.6, 8},
                          {"four_bar", false, 0.05, 3, 10},
                          {"six_bar", false, 0.05, 3, 10},
                          {"planar_leg_linkage", false, 0.02, 1, 10},
                          {"strandbeest_leg", false, 0.03, 1, 10}};

std::string name_of(const Case& c, Coordinates velocities) {
  return std::string(c.name) + (velocities == Coordinates::spanning ? ", spanning" : ", independent");
}

TEST(RefusedSteps, AreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
      Counts counts;
      for (const Case& c : cases) {
        SCOPED_TRACE(name_of(c, velocities));
        const LoopScene scene = model_scene(c.name, c.floating);
        Mechanisms s(c.name, scene.model, scene.q, velocities, states, c.reach, c.speed);
        for (const Integrator integrator : integrators) {
          s.with_wrenches = !s.with_wrenches;
          expect_steps_of_single_calls(s, nullptr, integrator, c.dt, 4, here, counts);
        }
      }
      EXPECT_GT(counts.refused, counts.steps / 100);
      if (here != Instructions::baseline) {
        EXPECT_GT(counts.packed, 2 * states);
      }
    }
}

// With feet that are held, the forces of rows are part of what a step can gain.
TEST(RefusedSteps, AreThoseOfSingleCallsWithRows) {
  const LoopScene scene = model_scene("cassie", true);
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < scene.model->links.size(); ++i)
    if (scene.model->links[i].name == "left-foot" || scene.model->links[i].name == "right-foot")
      specs.push_back(point_constraint(static_cast<int>(i), {}));
  ASSERT_EQ(specs.size(), 2u);
  const auto set = ConstraintSet::bind(scene.model, specs);
  for (const Instructions here : instruction_sets_here()) {
    Counts counts;
    Mechanisms s("cassie", scene.model, scene.q, Coordinates::spanning, states, 0.6, 2);
    for (const Integrator integrator : integrators)
      expect_steps_of_single_calls(s, set, integrator, 0.01, 4, here, counts);
    EXPECT_GT(counts.refused, 10u);
  }
}

TEST(RefusedSteps, AreThoseOfSingleCallsForAnyMechanism) {
  const int robots = std::max(20, test_robots() / 10);
  for (const Instructions here : instruction_sets_here()) {
    Counts counts;
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const LoopScene scene = random_loop_scene(number, 5);
      MovingLoops moving(scene, Random(number));
      if (!moving.regular() || scene.model->data().varying_clusters == 0 || scene.model->ny == 0) continue;
      const Coordinates velocities = seed % 2 == 0 ? Coordinates::spanning : Coordinates::independent;
      Mechanisms s("", scene.model, moving.q, velocities, 11, 0, 3);
      expect_steps_of_single_calls(s, nullptr, integrators[seed / 2 % 2], 0.05, 3, here, counts);
    }
    EXPECT_GT(counts.steps, static_cast<std::size_t>(robots));
  }
}

// Of derivatives of so many steps.
void expect_statuses_of_single_calls(Mechanisms& s, const BatchCall& call, std::size_t steps,
                                     Instructions here, std::size_t& refused) {
  Batch batch(s.model, nullptr, batch_options(false, here));
  batch.change([&](Workspace& each) { s.place(each); });
  batch.run(call);
  Workspace w(s.model, nullptr, single_calls(here));
  s.place(w);
  for (std::size_t i = 0; i < s.count; ++i) {
    List qi = part_of(s.q, i, s.nq), vi = part_of(s.v, i, s.nv);
    Status alone = Status::ok;
    for (std::size_t k = 0; k < steps && alone == Status::ok; ++k)
      alone = step_in_time(w, call.integrator, {}, call.dt, qi.data(), vi.data(), &s.tau[i * s.nv],
                           &s.wrenches[i * s.forces], nullptr, nullptr);
    EXPECT_EQ(s.status[i], static_cast<std::int32_t>(alone)) << i << ": " << w.message();
    refused += alone == Status::singular_configuration;
  }
}

TEST(RefusedSteps, HaveNoDerivatives) {
  for (const Instructions here : instruction_sets_here()) {
    std::size_t refused = 0, in_rollouts = 0;
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      const LoopScene scene = model_scene(c.name, c.floating);
      Mechanisms s(c.name, scene.model, scene.q, Coordinates::independent, states / 2, c.reach, c.speed);
      List along[2] = {s.drawn(s.nv, 1), s.drawn(s.nv, 1)}, by[3] = {s.drawn(s.nv, 1), along[0], along[1]};
      for (const Integrator integrator : integrators) {
        for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
          BatchCall call = s.call(BatchFunction::step_derivatives, integrator, c.dt);
          call.derivatives.form = form;
          call.derivatives.along_q = array_of(along[0], s.nv),
          call.derivatives.along_v = array_of(along[1], s.nv);
          for (std::size_t k = 0; k < 2; ++k) call.out[1 + k] = array_of(by[k], s.nv);
          expect_statuses_of_single_calls(s, call, 1, here, refused);
        }
        BatchCall call = s.call(BatchFunction::rollout_derivatives, integrator, c.dt);
        call.derivatives.form = DerivativeForm::vjp, call.steps = 3, call.every = 1;
        call.derivatives.along_q = array_of(along[0], s.nv);
        call.out[4] = array_of(by[0], s.nv), call.out[5] = array_of(by[1], s.nv);
        expect_statuses_of_single_calls(s, call, 3, here, in_rollouts);
      }
    }
    EXPECT_GT(refused, states / 10);
    EXPECT_GT(in_rollouts, states / 10);
  }
}

// Steps of ordinary length stay in packs, also where gravity alone makes energy from nothing.
TEST(RefusedSteps, AreNotThoseOfAFall) {
  const LoopScene scene = model_scene("cassie", true);
  for (const Instructions here : instruction_sets_here())
    for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
      Mechanisms s("cassie", scene.model, scene.q, velocities, 48, 0.1, 0);
      std::fill(s.tau.begin(), s.tau.end(), 0.0);
      s.with_wrenches = false;
      for (const Integrator integrator : integrators) {
        Batch batch(s.model, nullptr, batch_options(false, here));
        batch.change([&](Workspace& each) { s.place(each); });
        BatchCall call = s.call(BatchFunction::rollout, integrator, 1e-3);
        call.steps = call.every = 24;
        List v(s.count * s.nv);
        call.out[1] = array_of(v, s.nv);
        EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
        EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0);
      }
    }
}

}  // namespace
}  // namespace tenon::testing
