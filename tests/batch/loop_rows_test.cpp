// Products with derivatives of many states of robots with embedded loops and constraint rows, by settings that each state has
// of its own: those of single calls, side by side, in both kinds of velocities; of Cassie on its feet; of robots with gears;
// where rows depend on each other; with the same digits in every company and after any other call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "batch/loop_states.hpp"
#include "scalar/index.hpp"
#include "support/geared_robot.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(30, test_robots() / 40);

constexpr Kind kinds_of_rows[] = {
    {BatchFunction::constrained_derivatives, DerivativeForm::vjp},
    {BatchFunction::constrained_derivatives, DerivativeForm::jvp},
    {BatchFunction::constrained_derivatives, DerivativeForm::matrices},
    {BatchFunction::step_derivatives, DerivativeForm::vjp},
    {BatchFunction::step_derivatives, DerivativeForm::jvp},
    {BatchFunction::step_derivatives, DerivativeForm::vjp, Integrator::runge_kutta_4},
    {BatchFunction::step_derivatives, DerivativeForm::jvp, Integrator::runge_kutta_4}};

// States that packs computed, and that have derivatives.
struct Counted {
  std::size_t packed = 0, good = 0;  // states
};

// Points, welds and rows of the user, and in some robots a closure with the world.
std::shared_ptr<const ConstraintSet> contacts(Random& random, const std::shared_ptr<const Model>& model,
                                              int most_rows) {
  ConstraintOptions options;
  options.most_rows = most_rows;
  std::vector<ConstraintSpec> specs = random_constraints(random, *model, options);
  if (random.chance(0.3))
    specs.push_back(closure_constraint(random.integer(0, static_cast<int>(model->links.size()) - 1),
                                       random.pose(0.2), -1, random.pose(0.5), rows_linear));
  return ConstraintSet::bind(model, specs);
}

// The same status, and numbers within 1e-10 of the largest one of the output, and as near as single calls of two instruction
// sets are to each other: rows that nearly depend on each other leave them few digits.
void expect_as_single(LoopStatesWithRows& scene, const Kind& kind, Instructions here, bool accumulate,
                      Counted& counted) {
  LoopStates<double>& s = scene.s;
  Batch batch(s.model, s.set, batch_options(false, here));
  scene.place(batch);
  const Status whole = batch.run(s.call(kind, accumulate));
  if (s.status[0] == 77) {  // before anything is computed
    EXPECT_EQ(whole, Status::unsupported);
    return;
  }
  counted.packed += batch.packed();
  for (std::size_t i = 0; i < s.count; ++i) {
    SCOPED_TRACE(i);
    List expected[10], other[10];
    const std::unique_ptr<Workspace> one = scene.workspace(i, here),
                                     two = scene.workspace(i, Instructions::baseline);
    const Status status = s.compute_one(kind, accumulate, *one, i, expected);
    ASSERT_EQ(s.status[i], static_cast<std::int32_t>(status)) << batch.message() << one->message();
    if (status != Status::ok) continue;
    ++counted.good;
    ASSERT_EQ(s.compute_one(kind, accumulate, *two, i, other), Status::ok) << two->message();
    double all = 0;
    for (const List& list : expected) all = larger(all, size_of(list));
    for (std::size_t r = 0; r < 10; ++r) {
      const List found = part(s.out[r], i, expected[r].size());
      double most = 1e-10 * (size_of(expected[r]) + 1e-3 * all) * larger(1.0, all / 1e4);
      for (std::size_t e = 0; e < found.size(); ++e)
        most = larger(most, 300 * std::abs(other[r][e] - expected[r][e]));
      for (std::size_t e = 0; e < found.size(); ++e)
        ASSERT_LE(std::abs(found[e] - expected[r][e]), most) << r << " " << e << " of " << all;
    }
  }
}
void expect_as_single(LoopStatesWithRows& scene, Instructions here, bool accumulate, Counted& counted) {
  for (const Kind& kind : kinds_of_rows) {
    SCOPED_TRACE(::testing::Message() << static_cast<int>(kind.function) << static_cast<int>(kind.form)
                                      << static_cast<int>(kind.integrator));
    expect_as_single(scene, kind, here, accumulate, counted);
  }
}

constexpr Coordinates both[] = {Coordinates::spanning, Coordinates::independent};

TEST(LoopRowsBatch, AreThoseOfSingleCalls) {
  for (const Coordinates velocities : both) {
    Counted counted;
    for (const Instructions here : with_packs())
      for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << seed << " " << static_cast<int>(velocities));
        const LoopScene loops = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
        if (loops.model->data().cluster_count == 0) continue;
        Random random(static_cast<std::uint64_t>(seed));
        const auto set = contacts(random, loops.model, std::max(2, loops.model->ny / 2));
        if (set->row_count() == 0) continue;
        LoopStatesWithRows scene(loops, set, velocities, 9);
        if (!scene.s.usable) continue;
        if (seed % 3 > 0) scene.settings.draw_rows(static_cast<std::uint64_t>(seed));
        if (seed % 4 == 1) scene.settings.draw_row_numbers(static_cast<std::uint64_t>(seed));
        expect_as_single(scene, here, seed % 5 == 2, counted);
      }
    EXPECT_GE(2 * counted.packed, counted.good);
  }
}

// Loops that hold all of their joints are clusters without coordinates, whose links are moved by what is inward alone.
TEST(LoopRowsBatch, OfRigidLoopsAreThoseOfSingleCalls) {
  Counted counted;
  int looked_at = 0;
  for (int seed = 0; seed < 300 && !HasFailure(); ++seed) {
    const LoopScene loops = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    const ModelData& m = loops.model->data();
    const bool some = std::any_of(m.clusters, m.clusters + m.cluster_count,
                                  [](const ClusterData& c) { return c.y_count == 0; });
    if (!some || m.ny == 0) continue;
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(::testing::Message() << seed << " " << static_cast<int>(velocities));
      Random random(static_cast<std::uint64_t>(seed));
      const auto set = ConstraintSet::bind(
          loops.model,
          {point_constraint(static_cast<int>(loops.model->links.size()) - 1, {0.1, 0.05, -0.1})});
      LoopStatesWithRows scene(loops, set, velocities, 5);
      if (!scene.s.usable) continue;
      ++looked_at;
      expect_as_single(scene, Instructions::automatic, false, counted);
    }
  }
  EXPECT_GT(looked_at, 10);
  if (packs_by_choice()) {
    EXPECT_GT(counted.packed, 0U);
  }
}

// Gears and folded rotors are clusters too, whose maps are constant: steps have derivatives in both kinds of velocities.
TEST(LoopRowsBatch, OfGearedRobotsAreThoseOfSingleCalls) {
  int folded = 0;
  Counted counted;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed)
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(seed);
      Random random(static_cast<std::uint64_t>(seed));
      Robot tree = random_robot(static_cast<std::uint64_t>(seed), 20);
      add_gears(random, tree.mechanism);
      if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
      const LoopScene loops = loop_scene(tree.mechanism, tree.options);
      const auto set = contacts(random, loops.model, std::max(2, loops.model->ny / 2));
      if (loops.model->data().cluster_count == 0 || set->row_count() == 0) continue;
      LoopStatesWithRows scene(loops, set, velocities, 9);
      if (!scene.s.usable) continue;
      if (seed % 3 > 0) scene.settings.draw_rows(static_cast<std::uint64_t>(seed));
      if (seed % 4 == 1) scene.settings.draw_row_numbers(static_cast<std::uint64_t>(seed));
      const std::size_t before = counted.packed;
      expect_as_single(scene, Instructions::automatic, seed % 5 == 2, counted);
      folded += loops.model->folding != nullptr && counted.packed > before;
    }
  if (!packs_by_choice()) return;
  EXPECT_GT(folded, robots / 10);
  EXPECT_GE(3 * counted.packed, counted.good);
}

// ---- Cassie

// Share: of states that packs compute at least.
void expect_side_by_side(const LoopScene& loops, const std::shared_ptr<const ConstraintSet>& set,
                         double share) {
  for (const Instructions here : with_packs())
    for (const Coordinates velocities : both) {
      LoopStatesWithRows scene(loops, set, velocities, 19);
      ASSERT_TRUE(scene.s.usable);
      Counted counted;
      expect_as_single(scene, here, false, counted);
      const std::size_t all = (velocities == Coordinates::spanning ? 3 : 7) * scene.s.count;
      EXPECT_GE(static_cast<double>(counted.packed), share * static_cast<double>(all));
      EXPECT_GE(counted.good, counted.packed);
    }
}
TEST(LoopRowsBatch, OfCassieOnItsFeetGoSideBySide) {
  const Feet points(false), welds(true);
  expect_side_by_side(points.loops, points.set, 1);
  // Next to a posture where rows depend on each other single calls take a state.
  expect_side_by_side(welds.loops, welds.set, 0.9);
}
// Legs with rotors that are folded in dynamics, and not in derivatives.
TEST(LoopRowsBatch, OfGearedLegsOnTheirFeetGoSideBySide) {
  const LoopScene loops = model_scene("mini_cheetah", true);
  std::vector<ConstraintSpec> feet;
  for (const char* name : {"FL_knee_link", "FR_knee_link", "HL_knee_link", "HR_knee_link"})
    feet.push_back(point_constraint(loops.model->find_link(name), {0, 0, -0.2}));
  ASSERT_NE(loops.model->folding, nullptr);
  expect_side_by_side(loops, ConstraintSet::bind(loops.model, feet), 0.9);
}

// By inertias, armatures, damping and dry friction.
TEST(LoopRowsBatch, GradientsByParametersOfCassieAreThoseOfSingleCalls) {
  const Feet feet(true);
  LoopStatesWithRows scene(feet.loops, feet.set, Coordinates::spanning, 9);
  LoopStates<double>& s = scene.s;
  ASSERT_TRUE(s.usable);
  Batch batch(s.model, s.set, batch_options());
  scene.place(batch);
  const std::size_t sizes[] = {10 * s.model->links.size(), s.nv, s.nv, s.nv};
  List found[4];
  BatchCall c = s.call({BatchFunction::constrained_derivatives, DerivativeForm::vjp}, false);
  c.derivatives.form = DerivativeForm::parameter_vjp;
  for (std::size_t i = 1; i < 6; ++i)
    if (i != 4) c.out[i].data = nullptr;
  constexpr ByParameter by[] = {ByParameter::inertia, ByParameter::armature, ByParameter::damping,
                                ByParameter::friction};
  for (std::size_t k = 0; k < 4; ++k) {
    found[k].assign(s.count * sizes[k], -77);
    c.derivatives.by(by[k]) = array_of(found[k], sizes[k]);
  }
  ASSERT_EQ(batch.run(c), Status::ok) << batch.message();
  if (batch.width() > 1) {
    EXPECT_GE(batch.packed() + 1, s.count);
  }  // one is next to where rows depend
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::unique_ptr<Workspace> w = scene.workspace(i);
    List expected[4];
    for (std::size_t k = 0; k < 4; ++k) expected[k].assign(sizes[k], 0.0);
    ParameterGradient to;
    to.by_inertia = expected[0].data(), to.by_armature = expected[1].data();
    to.by_damping = expected[2].data(), to.by_friction = expected[3].data();
    const List q = part(s.q, i, s.nq), v = part(s.v, i, s.nv), x = part(s.x, i, s.nv),
               f = part(s.wrenches, i, s.forces), k = part(s.desired, i, s.m),
               gradient = part(s.along[2], i, s.nv), of_rows = part(s.along_rows, i, s.m);
    Inputs<double> in = {q.data(), v.data(), x.data(), f.data()};
    in.desired = k.data();
    ASSERT_EQ(
        constrained_dynamics_parameter_vjp(*w, {}, in, gradient.data(), of_rows.data(), nullptr, nullptr, to),
        Status::ok)
        << w->message();
    for (std::size_t p = 0; p < 4; ++p)
      EXPECT_LE(difference(&found[p][i * sizes[p]], expected[p].data(), sizes[p]), 1e-9) << i << " " << p;
  }
}

// Two points on each foot hold one direction twice: rows that depend on each other, which single calls take.
TEST(LoopRowsBatch, OfRedundantRowsAreThoseOfSingleCalls) {
  for (const Coordinates velocities : both) {
    const Feet feet(false, {{0.05, 0.02, 0}, {-0.05, 0.02, 0}}, 0);
    LoopStatesWithRows scene(feet.loops, feet.set, velocities, 9);
    ASSERT_TRUE(scene.s.usable);
    // Else rows contradict each other.
    for (List* list : {&scene.s.v, &scene.s.desired}) std::fill(list->begin(), list->end(), 0.0);
    Counted counted;
    expect_as_single(scene, Instructions::automatic, false, counted);
    EXPECT_EQ(counted.packed, 0U);
    EXPECT_GT(counted.good, scene.s.count);
  }
}

// Robots of their own, with friction, in both kinds of velocities.
TEST(LoopRowsBatch, OfRobotsOfTheirOwnAreThoseOfSingleCalls) {
  Counted counted;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed)
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(::testing::Message() << seed << " " << static_cast<int>(velocities));
      const LoopScene loops = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
      if (loops.model->data().cluster_count == 0) continue;
      Random random(static_cast<std::uint64_t>(seed));
      const auto set = random_point(random, loops.model);
      LoopStatesWithRows scene(loops, set, velocities, 9);
      if (!scene.s.usable) continue;
      scene.settings.draw_robots(loops.mechanism, loops.options, static_cast<std::uint64_t>(seed));
      if (seed % 2 == 1) scene.settings.draw_rows(static_cast<std::uint64_t>(seed));
      expect_as_single(scene, Instructions::automatic, false, counted);
      for (const Kind& kind : kinds)
        if (kind.function == BatchFunction::inverse_derivatives ||
            kind.function == BatchFunction::forward_derivatives)
          expect_as_single(scene, kind, Instructions::automatic, false, counted);
    }
  if (packs_by_choice()) {
    EXPECT_GE(2 * counted.packed, counted.good);
  }
}

// A matrix alone is that among all others.
void expect_the_same_alone(const LoopScene& loops, const std::shared_ptr<const ConstraintSet>& set) {
  for (const Coordinates velocities : both)
    for (const Kind& kind : kinds) {
      if (kind.form != DerivativeForm::matrices) continue;
      LoopStatesWithRows scene(loops, set, velocities, 9);
      LoopStates<double>& s = scene.s;
      ASSERT_TRUE(s.usable);
      Batch batch(s.model, s.set, batch_options());
      scene.place(batch);
      ASSERT_EQ(batch.run(s.call(kind, false)), Status::ok) << batch.message();
      const std::size_t packed = batch.packed();
      List all[10];
      std::copy_n(s.out, 10, all);
      for (std::size_t only = 0; only < 10; ++only) {
        if (all[only].empty()) continue;
        SCOPED_TRACE(::testing::Message() << static_cast<int>(kind.function) << " " << only << " "
                                          << static_cast<int>(velocities));
        BatchCall call = s.call(kind, false);
        for (std::size_t r = 0; r < 10; ++r)
          if (r != only) call.out[r].data = nullptr;
        ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
        EXPECT_EQ(batch.packed(), packed);
        EXPECT_EQ(s.out[only], all[only]);
      }
    }
}
TEST(LoopRowsBatch, MatricesAloneAreThoseAmongOthers) {
  const Feet feet(false);
  expect_the_same_alone(feet.loops, feet.set);
  const LoopScene geared = model_scene("mini_cheetah", true);
  expect_the_same_alone(
      geared, ConstraintSet::bind(geared.model,
                                  {point_constraint(geared.model->find_link("FL_knee_link"), {0, 0, -0.2})}));
}

// ---- the digits of a state

// They are the same beside any others and in any order, on threads; a bad state spoils only itself.
TEST(LoopRowsBatch, AreTheSameInEveryCompany) {
  const Feet feet(false);
  for (const Coordinates velocities : both)
    for (const Kind& kind : kinds_of_rows) {
      if (velocities == Coordinates::spanning && kind.function == BatchFunction::step_derivatives) continue;
      LoopStatesWithRows scene(feet.loops, feet.set, velocities, 37);
      LoopStates<double>& s = scene.s;
      ASSERT_TRUE(s.usable);
      s.q[3 * s.nq] = std::numeric_limits<double>::quiet_NaN();
      Batch one(s.model, s.set, batch_options()),
          two(s.model, s.set, batch_options(false, Instructions::automatic, 2));
      scene.place(one), scene.place(two);
      EXPECT_EQ(one.run(s.call(kind, false)), Status::not_finite);
      EXPECT_EQ(std::string(one.message()).substr(0, 9), "state 3: ");
      List expected[10];
      std::copy_n(s.out, 10, expected);
      const std::vector<std::int32_t> status(s.status.rbegin(), s.status.rend());
      BatchCall call = s.call(kind, false);
      const auto backwards = [&](BatchArray& a) {
        if (a.data)
          a.data = static_cast<double*>(a.data) + static_cast<std::ptrdiff_t>(s.count - 1) * a.state_stride;
        a.state_stride = -a.state_stride;
      };
      for (BatchArray* a :
           {&call.q, &call.v, &call.x, &call.wrenches, &call.desired, &call.derivatives.along_q,
            &call.derivatives.along_v, &call.derivatives.along_x, &call.derivatives.along_rows})
        backwards(*a);
      for (BatchArray& a : call.out) backwards(a);
      EXPECT_LT(static_cast<std::int32_t>(two.run(call)), 0);
      EXPECT_EQ(s.status, status);  // the step of another state is refused
      for (std::size_t r = 0; r < 10; ++r) EXPECT_EQ(s.out[r], expected[r]) << r;
    }
}

// And after any other calls on the batch, with other coordinates too.
void expect_no_history(const LoopScene& loops, const std::shared_ptr<const ConstraintSet>& set) {
  struct Asked {
    Kind kind;
    Coordinates velocities;
  };
  std::vector<Asked> asked;
  for (const Coordinates velocities : both)
    for (const Kind& kind : kinds)
      if (velocities == Coordinates::independent || kind.function != BatchFunction::step_derivatives)
        asked.push_back({kind, velocities});
  LoopStatesWithRows scenes[] = {{loops, set, both[0], 9}, {loops, set, both[1], 9}};
  if (!scenes[0].s.usable || !scenes[1].s.usable) return;
  const auto scene_of = [&](const Asked& a) -> LoopStatesWithRows& {
    return scenes[a.velocities == both[1]];
  };
  Batch same(loops.model, set, batch_options());
  Random random(4);
  for (int turn = 0; turn < 60 && !::testing::Test::HasFailure(); ++turn) {
    const Asked& a = asked[index(random.integer(0, static_cast<int>(asked.size()) - 1))];
    SCOPED_TRACE(::testing::Message() << turn << " " << static_cast<int>(a.kind.function)
                                      << static_cast<int>(a.kind.form) << static_cast<int>(a.velocities));
    LoopStatesWithRows& scene = scene_of(a);
    const bool accumulate = random.chance(0.3);
    List found[10];
    scene.place(same);
    const Status there = same.run(scene.s.call(a.kind, accumulate));
    std::copy_n(scene.s.out, 10, found);
    Batch fresh(loops.model, set, batch_options());
    scene.place(fresh);
    EXPECT_EQ(fresh.run(scene.s.call(a.kind, accumulate)), there) << fresh.message();
    for (std::size_t r = 0; r < 10; ++r) EXPECT_EQ(scene.s.out[r], found[r]) << r;
  }
}

TEST(LoopRowsBatch, DoNotDependOnEarlierCalls) {
  const Feet feet(false);
  expect_no_history(feet.loops, feet.set);
  for (std::uint64_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot tree = random_robot(seed, 20);
    add_gears(random, tree.mechanism);
    if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
    const LoopScene geared = loop_scene(tree.mechanism, tree.options);
    expect_no_history(geared, random_point(random, geared.model));
  }
}

}  // namespace
}  // namespace tenon::testing
