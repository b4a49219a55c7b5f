// Batches of robots with loops, couplings and folded rotors: the numbers of single calls, which other tests compare
// with dense projection and multipliers, and what packs leave to single calls.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "batch/batch_checks.hpp"
#include "support/geared_robot.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);
constexpr BatchFunction of_rows[] = {BatchFunction::constrained_dynamics, BatchFunction::impact,
                                     BatchFunction::delassus, BatchFunction::damped_product};
constexpr const char* linkages[] = {"four_bar", "six_bar", "planar_leg_linkage", "strandbeest_leg", "cassie"};

LoopScene walking(const std::string& name) {
  return model_scene(name, name == "cassie" || name == "mini_cheetah" || name == "mit_humanoid");
}

// States of a scene with closed loops, at velocities that keep them closed.
template <class N>
States<N> closed_states(const LoopScene& scene, std::shared_ptr<const ConstraintSet> set, std::size_t count) {
  States<N> s(scene.model, std::move(set), count, 3);
  Workspace w(scene.model), by_hand(scene.model);
  const Model& m = *scene.model;
  EXPECT_EQ(set_coordinates(by_hand, Coordinates::independent, Coordinates::independent), Status::ok);
  Random random(8);
  Eigen::VectorXd y(static_cast<Eigen::Index>(m.loops.independent_q.size())), q(m.nq), v(m.nv);
  for (std::size_t i = 0; i < count; ++i) {
    q = scene.q;
    EXPECT_EQ(independent_positions(w, q.data(), y.data()), Status::ok);
    const Eigen::VectorXd rate = random_vector(random, m.ny, 0.2);
    EXPECT_EQ(integrate(by_hand, y.data(), rate.data(), 1.0, y.data()), Status::ok) << by_hand.message();
    EXPECT_EQ(spanning_positions(by_hand, y.data(), nullptr, q.data()), Status::ok);
    EXPECT_EQ(spanning_velocity(w, q.data(), rate.data(), v.data()), Status::ok);
    const auto put = [&](const Eigen::VectorXd& x, std::vector<N>& to) {
      for (Eigen::Index k = 0; k < x.size(); ++k)
        to[i * static_cast<std::size_t>(x.size()) + static_cast<std::size_t>(k)] = static_cast<N>(x(k));
    };
    put(q, s.q), put(v, s.v);
  }
  return s;
}

std::shared_ptr<const Model> geared_robot(std::uint64_t seed) {
  Random random(seed);
  Robot tree = random_robot(seed, 20);
  add_gears(random, tree.mechanism);
  return Model::compile(tree.mechanism, tree.options);
}

std::shared_ptr<const ConstraintSet> contacts(std::uint64_t seed, const std::shared_ptr<const Model>& model) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = 9;
  return ConstraintSet::bind(model, random_constraints(random, *model, options));
}

// No wrenches on the odd states: folded rotors cannot take those on rotors.
template <class N>
States<N> without_some_wrenches(States<N> s) {
  const std::size_t n = s.wrenches.size() / s.count;
  for (std::size_t i = 1; i < s.count; i += 2)
    std::fill_n(s.wrenches.begin() + static_cast<std::ptrdiff_t>(i * n), n, static_cast<N>(0));
  return s;
}

TEST(BatchOfLoops, GearedRobotsMoveAsInSingleCalls) {
  int folded = 0;
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const auto model = geared_robot(number);
      folded += model->folding != nullptr;
      const auto set = contacts(number, model);
      const auto states = [&](std::size_t count) {
        return without_some_wrenches(States<double>(model, set, count, number));
      };
      for (const BatchFunction function : on_trees) expect_as_single(states(19), here, function, 1e-11);
      if (set->row_count() == 0) continue;
      for (const BatchFunction function : of_rows) expect_as_single(states(11), here, function, 1e-9);
      expect_as_single(without_some_wrenches(States<float>(model, set, 11, number)), here,
                       BatchFunction::forward_dynamics, 1e-5);
    }
  }
  EXPECT_GT(folded, robots / 4);
}

TEST(BatchOfLoops, LinkagesMoveAsInSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (const char* name : linkages) {
      SCOPED_TRACE(name);
      const LoopScene scene = walking(name);
      for (const BatchFunction function : on_trees) {
        expect_as_single(closed_states<double>(scene, nullptr, 21), here, function, 1e-9);
        expect_as_single(closed_states<float>(scene, nullptr, 21), here, function, 1e-5);
      }
      // Open loops have a G too.
      expect_as_single(States<double>(scene.model, nullptr, 21, 4), here, BatchFunction::forward_dynamics,
                       1e-9);
    }
  }
}

TEST(BatchOfLoops, LegsStandAsInSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (const char* name : {"cassie", "mini_cheetah", "mit_humanoid"}) {
      SCOPED_TRACE(name);
      const LoopScene scene = walking(name);
      const int links = static_cast<int>(scene.model->links.size());
      const auto set = ConstraintSet::bind(
          scene.model, {point_constraint(links - 1, {0.1, 0, 0}), point_constraint(links / 2, {0, 0.1, 0})});
      for (const BatchFunction function : of_rows)
        expect_as_single(closed_states<double>(scene, set, 21), here, function, 1e-9);
    }
  }
}

TEST(BatchOfLoops, AnyMechanismMovesAsInSingleCalls) {
  int loops = 0;
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const LoopScene scene = random_loop_scene(number, 5);
      loops += scene.model->data().varying_clusters;
      MovingLoops moving(scene, Random(number));
      if (!moving.regular()) continue;
      States<double> s(scene.model, contacts(number, scene.model), 11, number);
      for (std::size_t i = 0; i < s.count; ++i)
        std::copy_n(scene.q.data(), scene.q.size(),
                    s.q.begin() + static_cast<std::ptrdiff_t>(i) * scene.q.size());
      // Masses and lengths are random, and some inertias differ by many orders.
      for (const BatchFunction function : on_trees) expect_as_single(s, here, function, 1e-8);
      if (s.set->row_count() == 0) continue;
      expect_as_single(s, here, BatchFunction::delassus, 1e-8);
    }
  }
  EXPECT_GT(loops, robots / 2);
}

TEST(BatchOfLoops, DigitsDoNotDependOnCompanyOrThreads) {
  for (const Instructions here : instruction_sets_here()) {
    for (const char* name : {"cassie", "mini_cheetah", "four_bar"}) {
      SCOPED_TRACE(name);
      const LoopScene scene = walking(name);
      const int links = static_cast<int>(scene.model->links.size());
      const auto set = ConstraintSet::bind(scene.model, {point_constraint(links - 1, {0.1, 0.05, 0})});
      for (const BatchFunction function :
           {BatchFunction::forward_dynamics, BatchFunction::mass_matrix, BatchFunction::constrained_dynamics,
            BatchFunction::impact, BatchFunction::delassus, BatchFunction::damped_product}) {
        expect_same_digits(without_some_wrenches(closed_states<double>(scene, set, 35)), here, function);
        expect_same_digits(without_some_wrenches(closed_states<float>(scene, set, 35)), here, function);
      }
    }
  }
}

// A state at a dead centre of its independent coordinates is left to the single call, and spoils no other.
TEST(BatchOfLoops, DeadCentresAreLeftToSingleCalls) {
  const LoopScene scene = walking("four_bar");
  for (const Instructions here : instruction_sets_here()) {
    States<double> s = closed_states<double>(scene, nullptr, 20);
    Batch batch(scene.model, nullptr, batch_options(false, here));
    BatchCall call = s.call(BatchFunction::forward_dynamics);
    ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
    const std::vector<double> expected = s.out;
    // Two bars on one line: the dependent joints do not follow from the first one.
    const std::size_t nv = s.v.size() / s.count;
    for (std::size_t k = 0; k < nv; ++k) s.q[7 * nv + k] = 0;
    call = s.call(BatchFunction::forward_dynamics);
    batch.run(call);
    EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count - 1 : 0);
    Workspace w(scene.model);
    std::vector<double> alone(nv, -77);
    const std::size_t f = s.wrenches.size() / s.count;
    const Status status =
        forward_dynamics(w, {&s.q[7 * nv], &s.v[7 * nv], &s.x[7 * nv], &s.wrenches[7 * f]}, alone.data());
    EXPECT_EQ(s.status[7], static_cast<std::int32_t>(status));
    for (std::size_t k = 0; k < s.out.size(); ++k)
      EXPECT_EQ(s.out[k], k / nv == 7 ? alone[k % nv] : expected[k]) << k;
  }
}

// Loops at the end of a step are where the next one begins, but not where all states of a pack have left a rollout.
TEST(BatchOfLoops, NothingIsKeptOfARolloutThatAllStatesLeave) {
  const LoopScene scene = walking("planar_leg_linkage");
  constexpr std::size_t steps = 2;
  for (const Instructions here : instruction_sets_here()) {
    States<double> s = closed_states<double>(scene, nullptr, 20);
    const std::size_t nv = s.v.size() / s.count;
    std::vector<double> tau(s.count * steps * nv), q(s.q.size()), v(s.v.size());
    const auto array = [&](std::vector<double>& list) {
      return BatchArray{list.data(), 1, static_cast<std::ptrdiff_t>(list.size() / s.count)};
    };
    BatchCall call;
    call.function = BatchFunction::rollout;
    call.states = s.count, call.steps = call.every = steps, call.dt = 1e-3;
    call.q = array(s.q), call.v = array(s.v), call.x = array(tau), call.out[0] = array(q),
    call.out[1] = array(v);
    call.x.record_stride = static_cast<std::ptrdiff_t>(nv);
    const auto run = [&](Batch& batch, double torque) {
      for (std::size_t i = 0; i < s.count; ++i) tau[(i * steps + 1) * nv] = torque;  // in the second step
      return batch.run(call);
    };
    Batch batch(scene.model, nullptr, batch_options(false, here)),
        other(scene.model, nullptr, batch_options(false, here));
    ASSERT_EQ(run(other, 0), Status::ok) << other.message();
    const std::vector<double> expected_q = q, expected_v = v;
    EXPECT_EQ(run(batch, std::nan("")), Status::not_finite);
    ASSERT_EQ(run(batch, 0), Status::ok) << batch.message();
    EXPECT_EQ(q, expected_q);
    EXPECT_EQ(v, expected_v);
  }
}

// Single calls would give the same numbers, so that a kernel that gave up would go unnoticed.
template <class N>
void expect_packs(const LoopScene& scene, Instructions here) {
  const int links = static_cast<int>(scene.model->links.size());
  const auto set = ConstraintSet::bind(scene.model, {point_constraint(links - 1, {0.1, 0.05, 0})});
  States<N> s = closed_states<N>(scene, set, 27);
  std::fill(s.wrenches.begin(), s.wrenches.end(), static_cast<N>(0));
  Batch batch(scene.model, set, batch_options(sizeof(N) == sizeof(float), here));
  const auto packed = [&](BatchFunction function) {
    BatchCall call = s.call(function);
    EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
    return batch.packed();
  };
  const std::size_t all = batch.width() > 1 ? s.count : 0;
  for (const BatchFunction function : on_trees)
    EXPECT_EQ(packed(function), all) << static_cast<int>(function);
  for (const BatchFunction function : of_rows) {
    // Three rows contradict each other where there is one degree of freedom.
    const bool solves = function == BatchFunction::constrained_dynamics || function == BatchFunction::impact;
    const bool free = !solves || scene.model->ny > 3;
    EXPECT_EQ(packed(function), free ? all : 0) << static_cast<int>(function);
  }
  batch.change([](Workspace& w) {
    EXPECT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
  });
  for (const BatchFunction function : {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics})
    EXPECT_EQ(packed(function), all) << static_cast<int>(function);
  BatchCall call = s.call(BatchFunction::mass_matrix);
  batch.run(call);
  EXPECT_EQ(batch.packed(), std::size_t{0});
}

TEST(BatchOfLoops, PacksComputeAllStates) {
  for (const char* name : {"cassie", "mini_cheetah", "mit_humanoid", "four_bar", "strandbeest_leg"}) {
    SCOPED_TRACE(name);
    for (const Instructions here : instruction_sets_here()) {
      expect_packs<double>(walking(name), here);
      expect_packs<float>(walking(name), here);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
