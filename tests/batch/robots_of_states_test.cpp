// Inertias, armatures, friction and gravity that each state of a batch has of its own, against models compiled anew
// with the numbers of the state.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "batch/batch_checks.hpp"
#include "support/geared_robot.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);
constexpr BatchFunction of_robots[] = {BatchFunction::forward_dynamics,
                                       BatchFunction::inverse_dynamics,
                                       BatchFunction::mass_matrix,
                                       BatchFunction::mass_matrix_lower,
                                       BatchFunction::mass_matrix_factor,
                                       BatchFunction::kinematics,
                                       BatchFunction::constrained_dynamics,
                                       BatchFunction::impact,
                                       BatchFunction::delassus,
                                       BatchFunction::damped_product};

std::shared_ptr<const ConstraintSet> some_rows(std::uint64_t seed,
                                               const std::shared_ptr<const Model>& model) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = 9, options.stabilisation = 0;
  return ConstraintSet::bind(model, random_constraints(random, *model, options));
}

// Rows and products with their inverse have fewer digits.
double tolerance_of(BatchFunction function) {
  const bool rows = function == BatchFunction::constrained_dynamics || function == BatchFunction::impact ||
                    function == BatchFunction::damped_product;
  return rows ? 1e-8 : 1e-12;
}

TEST(RobotsOfStates, AreThoseOfModelsCompiledAnew) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      const auto set = some_rows(number, robot.model);
      States<double> s(robot, set, 19, number);
      s.draw_robots(robot.mechanism, robot.options, number);
      for (const BatchFunction function : of_robots)
        expect_as_single(s, here, function, tolerance_of(function));
      States<float> f(robot, set, 19, number);
      f.draw_robots(robot.mechanism, robot.options, number);
      for (const BatchFunction function :
           {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics, BatchFunction::mass_matrix})
        expect_as_single(f, here, function, 2e-3);
    }
}

TEST(RobotsOfStates, WithLoopsAndRotorsAreThoseOfModelsCompiledAnew) {
  for (const Instructions here : instruction_sets_here()) {
    for (const char* name : {"cassie", "mini_cheetah", "four_bar"}) {
      SCOPED_TRACE(name);
      const LoopScene scene = model_scene(name, std::string(name) != "four_bar");
      const auto set = ConstraintSet::bind(
          scene.model, {point_constraint(static_cast<int>(scene.model->links.size()) - 1, {0.1, 0, 0})});
      States<double> s(scene.model, set, 11, 4);
      for (std::size_t i = 0; i < s.count; ++i)
        std::copy(scene.q.begin(), scene.q.end(),
                  s.q.begin() + static_cast<std::ptrdiff_t>(i) * scene.q.size());
      std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.wrenches.begin(), s.wrenches.end(), 0.0);
      s.draw_robots(scene.mechanism, scene.options, 5);
      for (const BatchFunction function : of_robots) expect_as_single(s, here, function, 1e-8);
    }
    for (const std::uint64_t seed : {3, 8, 21}) {
      Random random(seed);
      Mechanism geared = random_mechanism(random, {Shape::binary, 8, false});
      add_gears(random, geared);
      const CompileOptions options;
      const auto model = Model::compile(geared, options);
      States<double> s(model, nullptr, 11, seed);
      for (std::size_t i = 0; i < s.count; ++i)
        clear_rotor_wrenches(*model, s.wrenches.data() + i * s.wrenches.size() / s.count);
      s.draw_robots(geared, options, seed);
      for (const BatchFunction function : on_trees) expect_as_single(s, here, function, 1e-9);
    }
  }
}

// Loops that rows close, with and without rows of the user, which go one by one; and independent velocities.
TEST(RobotsOfStates, LoopsByRowsAndIndependentVelocitiesAreThoseOfModelsCompiledAnew) {
  const LoopScene scene = model_scene("four_bar");
  CompileOptions by_rows = scene.options;
  by_rows.loops = LoopTreatment::rows;
  const auto model = Model::compile(scene.mechanism, by_rows);
  ASSERT_FALSE(model->row_loops.empty());
  const auto point = point_constraint(static_cast<int>(model->links.size()) - 1, {0.1, 0, 0});
  for (const auto& set : {ConstraintSet::bind(model, {}), ConstraintSet::bind(model, {point})}) {
    States<double> s(model, set, 7, 4);
    for (std::size_t i = 0; i < s.count; ++i)
      std::copy(model->loops.closed.begin(), model->loops.closed.end(),
                s.q.begin() + static_cast<std::ptrdiff_t>(i * model->loops.closed.size()));
    std::fill(s.v.begin(), s.v.end(), 0.0);
    s.draw_robots(scene.mechanism, by_rows, 5);
    for (const BatchFunction function :
         {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics, BatchFunction::mass_matrix})
      expect_as_single(s, Instructions::automatic, function, 1e-8);
  }

  States<double> s(scene.model, nullptr, 7, 4);
  for (std::size_t i = 0; i < s.count; ++i)
    std::copy(scene.q.begin(), scene.q.end(), s.q.begin() + static_cast<std::ptrdiff_t>(i) * scene.q.size());
  s.draw_robots(scene.mechanism, scene.options, 5);
  std::fill(s.damping.begin(), s.damping.end(), 0.0), std::fill(s.friction.begin(), s.friction.end(), 0.0);
  Batch batch(scene.model, nullptr, batch_options());
  batch.change([](Workspace& w) { set_coordinates(w, Coordinates::spanning, Coordinates::independent); });
  s.give_rows(batch);
  const std::size_t ny = static_cast<std::size_t>(scene.model->ny), nq = s.q.size() / s.count;
  BatchCall call = s.call(BatchFunction::forward_dynamics);
  call.v.state_stride = call.x.state_stride = call.out[0].state_stride = static_cast<std::ptrdiff_t>(ny);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  for (std::size_t i = 0; i < s.count; ++i) {
    const auto w = s.workspace(i);
    set_coordinates(*w, Coordinates::spanning, Coordinates::independent);
    std::vector<double> expected(ny);
    ASSERT_EQ(forward_dynamics(*w,
                               {s.q.data() + i * nq, s.v.data() + i * ny, s.x.data() + i * ny,
                                s.wrenches.data() + i * s.wrenches.size() / s.count},
                               expected.data()),
              Status::ok);
    EXPECT_LE(difference(s.out.data() + i * ny, expected.data(), ny), 1e-10) << i;
  }
}

TEST(RobotsOfStates, DigitsDoNotDependOnCompanyOrThreads) {
  for (const Instructions here : instruction_sets_here())
    for (const std::uint64_t seed : {3, 11, 24}) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(seed, 14);
      const auto set = some_rows(seed, robot.model);
      if (robot.model->nv == 0) continue;
      for (const BatchFunction function : of_robots) {
        States<double> s(robot, set, 37, 5);
        s.draw_robots(robot.mechanism, robot.options, seed);
        expect_same_digits(s, here, function);
        States<float> f(robot, set, 37, 5);
        f.draw_robots(robot.mechanism, robot.options, seed);
        expect_same_digits(f, here, function);
      }
    }
}

struct Walker {
  Walker() : set(ConstraintSet::bind(robot.model, {point_constraint(5, {0.1, 0.2, 0})})) {}
  Robot robot = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  std::shared_ptr<const ConstraintSet> set;
};

// Single calls would give the same numbers, so that packs that gave up would go unnoticed.
TEST(RobotsOfStates, ArePackedToo) {
  const Walker walker;
  for (const Instructions here : instruction_sets_here()) {
    Batch batch(walker.robot.model, walker.set, batch_options(false, here));
    States<double> s(walker.robot, walker.set, 21, 3);
    s.draw_robots(walker.robot.mechanism, walker.robot.options, 3);
    s.give_rows(batch);
    for (const BatchFunction function : of_robots) {
      ASSERT_EQ(batch.run(s.call(function)), Status::ok) << batch.message();
      EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0) << static_cast<int>(function);
    }
  }
}

// Calls of all kinds on one batch, with numbers of the model before and after, give the digits of a batch that makes
// one kind alone.
TEST(RobotsOfStates, MixedCallsGiveTheSameDigits) {
  const Walker walker;
  States<double> usual(walker.robot, walker.set, 21, 3), own = usual;
  own.draw_robots(walker.robot.mechanism, walker.robot.options, 3);
  for (const Instructions here : instruction_sets_here()) {  // the first may compute state by state
    Batch mixed(walker.robot.model, walker.set, batch_options(false, here));
    std::vector<double> identity = {0, 0, 0, 0, 0, 0, 1};
    for (int round = 0; round < 2; ++round)
      for (const BatchFunction function : of_robots)
        for (States<double>* s : {&usual, &own}) {
          SCOPED_TRACE(static_cast<int>(function));
          Batch alone(walker.robot.model, walker.set, batch_options(false, here));
          s->give_rows(alone);
          ASSERT_EQ(alone.run(s->call(function)), Status::ok) << alone.message();
          const std::vector<double> expected = s->out;
          if (s == &own) {
            s->give_rows(mixed);
          } else {
            mixed.set_anchors(1, array_of(identity, 7));
            States<double> nominal(walker.robot, walker.set, 1, 1);
            const Model& m = *walker.robot.model;
            for (const Model::Link& link : m.links) {
              nominal.masses.push_back(link.mass);
              nominal.centers.insert(nominal.centers.end(), link.center_of_mass.begin(),
                                     link.center_of_mass.end());
              nominal.inertias.insert(nominal.inertias.end(), link.inertia.begin(), link.inertia.end());
            }
            nominal.armatures = m.armature;
            nominal.damping.assign(m.armature.size(), 0), nominal.friction = nominal.damping;
            BatchParameters given = nominal.parameters(1);
            given.gravity.data = nullptr;
            mixed.set_parameters(1, given);
            mixed.set_gravity(walker.robot.options.gravity);
          }
          ASSERT_EQ(mixed.run(s->call(function)), Status::ok) << mixed.message();
          EXPECT_EQ(s->out, expected);
        }
  }
}

// The classical method in flat coordinates, which joints of one coordinate have, with friction at each stage.
TEST(RobotsOfStates, FrictionActsInEachStageOfAStep) {
  const Robot robot = random_robot(5, MechanismOptions{Shape::binary, 8, true}, false);
  const std::size_t nv = static_cast<std::size_t>(robot.model->nv);
  for (const Instructions here : instruction_sets_here()) {  // the first may compute state by state
    States<double> s(robot, nullptr, 9, 3);
    s.draw_robots(robot.mechanism, robot.options, 7);
    Batch batch(robot.model, nullptr, batch_options(false, here));
    s.give_rows(batch);
    BatchCall call = s.call(BatchFunction::rollout);
    call.steps = call.every = 3, call.dt = 1e-2, call.integrator = Integrator::runge_kutta_4;
    ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
    for (std::size_t i = 0; i < s.count; ++i) {
      const auto w = s.workspace(i);
      std::vector<double> q(s.q.begin() + static_cast<std::ptrdiff_t>(i * nv),
                            s.q.begin() + static_cast<std::ptrdiff_t>((i + 1) * nv));
      std::vector<double> v(s.v.begin() + static_cast<std::ptrdiff_t>(i * nv),
                            s.v.begin() + static_cast<std::ptrdiff_t>((i + 1) * nv));
      for (std::size_t step = 0; step < call.steps; ++step) {
        constexpr double place[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
        std::vector<double> rate(nv, 0), a(nv, 0), sum_v(nv, 0), sum_a(nv, 0);
        for (int stage = 0; stage < 4; ++stage) {
          std::vector<double> at(nv), tau(nv);
          for (std::size_t k = 0; k < nv; ++k) {
            at[k] = q[k] + place[stage] * call.dt * rate[k];
            rate[k] = v[k] + place[stage] * call.dt * a[k];
            tau[k] = s.x[i * nv + k] - s.friction_of(i, k, rate[k]);
          }
          ASSERT_EQ(forward_dynamics(*w,
                                     {at.data(), rate.data(), tau.data(),
                                      s.wrenches.data() + i * s.wrenches.size() / s.count},
                                     a.data()),
                    Status::ok);
          for (std::size_t k = 0; k < nv; ++k)
            sum_v[k] += weight[stage] * rate[k], sum_a[k] += weight[stage] * a[k];
        }
        for (std::size_t k = 0; k < nv; ++k) q[k] += call.dt * sum_v[k], v[k] += call.dt * sum_a[k];
      }
      EXPECT_LE(difference(s.out.data() + i * nv, q.data(), nv), 1e-11) << i;
      EXPECT_LE(difference(s.second.data() + i * nv, v.data(), nv), 1e-11) << i;
    }
  }
}

TEST(RobotsOfStates, WhatNoRobotHasIsRefused) {
  const Walker walker;
  States<double> s(walker.robot, walker.set, 6, 3);
  s.draw_robots(walker.robot.mechanism, walker.robot.options, 3);
  Batch batch(walker.robot.model, walker.set, batch_options());
  s.give_rows(batch);
  ASSERT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::ok) << batch.message();
  const std::vector<double> before = s.out;
  const std::size_t links = walker.robot.model->links.size();
  const auto refuses = [&](std::vector<double>& list, std::size_t at, double wrong, Status status,
                           const std::string& words) {
    const double was = std::exchange(list[at], wrong);
    try {
      batch.set_parameters(s.count, s.parameters(s.count));
      ADD_FAILURE() << "took " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    list[at] = was;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string name = walker.robot.model->links[4].name;
  refuses(s.masses, 2 * links + 4, -1, Status::invalid_inertia,
          "state 2: link 4 '" + name + "': the mass is -1 kg");
  refuses(s.masses, 2 * links + 4, nan, Status::not_finite, "state 2: link 4 '" + name + "'");
  refuses(s.centers, 3 * (links + 1), HUGE_VAL, Status::not_finite, "state 1: link 1 '");
  refuses(s.inertias, 6 * (5 * links) + 0, -100, Status::invalid_inertia, "state 5: link '");
  refuses(s.armatures, 7, -0.5, Status::invalid_argument, "state 0: the armature of joint '");
  refuses(s.damping, s.damping.size() / s.count + 3, -1, Status::invalid_argument,
          "state 1: the damping of joint '");
  refuses(s.friction, 3, nan, Status::not_finite, "state 0: the friction of joint '");
  refuses(s.gravity, 3 * 4, nan, Status::not_finite, "state 4: gravity");
  // Nothing has changed.
  ASSERT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::ok) << batch.message();
  EXPECT_EQ(s.out, before);
}

TEST(RobotsOfStates, NumbersOfFramesAreNotRead) {
  Walker walker;
  walker.robot.mechanism.frames.push_back({"tool", walker.robot.mechanism.links[3].name, {}});
  const auto model = Model::compile(walker.robot.mechanism, walker.robot.options);
  States<double> s(model, nullptr, 4, 3);
  s.draw_robots(walker.robot.mechanism, walker.robot.options, 3);
  const std::size_t links = model->links.size();
  for (std::size_t i = 0; i < s.count; ++i) s.masses[(i + 1) * links - 1] = -std::nan("");
  for (const Instructions here : instruction_sets_here())
    expect_as_single(s, here, BatchFunction::forward_dynamics, 1e-12);
}

TEST(RobotsOfStates, CountsMustAgree) {
  const Walker walker;
  States<double> s(walker.robot, walker.set, 9, 3);
  s.draw_robots(walker.robot.mechanism, walker.robot.options, 3);
  Batch batch(walker.robot.model, walker.set, batch_options());
  s.give_rows(batch, 8);
  EXPECT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::wrong_size);
  EXPECT_NE(std::string(batch.message())
                .find("inertias of the links of this batch are those of 8 states, but this call has 9"),
            std::string::npos)
      << batch.message();
  EXPECT_EQ(batch.run(s.call(BatchFunction::kinematics)), Status::ok) << batch.message();
  s.give_rows(batch, 1);
  EXPECT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::ok) << batch.message();
}

}  // namespace
}  // namespace tenon::testing
