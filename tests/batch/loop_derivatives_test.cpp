// Derivatives of many states of robots with embedded loops: those of single calls, to the bit or side by side, with and
// without rows, in both kinds of coordinates, on threads, in single precision and of robots of their own; products, against
// differences of dynamics of batches (loop_slopes_test.cpp); gradients through rollouts in independent
// velocities, against single steps and against differences of rollouts; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "batch/loop_states.hpp"
#include "scalar/index.hpp"
#include "support/geared_robot.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);

// States that packs computed: of functions that go one by one, and of others, which are as many as the last.
std::size_t side_by_side[3];

// What packs compute.
template <class N>
bool goes_side_by_side(const LoopStates<N>& s, const Kind& kind) {
  const bool of_rows = kind.function == BatchFunction::constrained_derivatives ||
                       kind.function == BatchFunction::impact_derivatives;
  const bool of_whole_loops =
      kind.function == BatchFunction::impact_derivatives && kind.form == DerivativeForm::matrices;
  return s.positions == Coordinates::spanning && (!of_rows || s.set) && !of_whole_loops;
}

// Of all functions; tolerance 0: the same digits, but of packs. Counts the states that have derivatives.
template <class N>
void expect_as_single(LoopStates<N>& s, int threads, double tolerance, int (&looked_at)[std::size(kinds)]) {
  Batch batch(s.model, s.set, batch_options(sizeof(N) == sizeof(float), Instructions::automatic, threads));
  s.place(batch);
  for (std::size_t k = 0; k < std::size(kinds); ++k)
    for (const bool accumulate : {false, true}) {
      const Kind& kind = kinds[k];
      SCOPED_TRACE(::testing::Message()
                   << static_cast<int>(kind.function) << static_cast<int>(kind.form) << accumulate);
      const Status whole = batch.run(s.call(kind, accumulate));
      if (kind.function == BatchFunction::step_derivatives &&
          s.status[0] == 77) {  // before anything is computed
        List none[10];
        EXPECT_EQ(whole, Status::unsupported);
        EXPECT_EQ(s.compute_one(kind, accumulate, s.w, 0, none), Status::unsupported);
        continue;
      }
      const bool packs = goes_side_by_side(s, kind);
      const double within = packs ? std::max(tolerance, 1e-9) : tolerance;
      side_by_side[packs] += batch.packed();
      if (packs) side_by_side[2] += s.count;
      Status first = Status::ok;
      for (std::size_t i = 0; i < s.count; ++i) {
        SCOPED_TRACE(i);
        List expected[10];
        const Status status = s.compute_one(kind, accumulate, s.w, i, expected);
        if (first == Status::ok && static_cast<std::int32_t>(status) < 0) first = status;
        ASSERT_EQ(s.status[i], static_cast<std::int32_t>(status)) << batch.message() << s.w.message();
        looked_at[k] += status == Status::ok;
        for (std::size_t r = 0; r < 10; ++r) {
          const List found = part(s.out[r], i, expected[r].size());
          double size = 1;
          for (const double e : expected[r]) size = larger(size, std::abs(e));
          for (std::size_t e = 0; e < found.size(); ++e)
            ASSERT_LE(std::abs(found[e] - expected[r][e]), within * size) << r << " " << e;
        }
      }
      EXPECT_EQ(whole, first);
    }
}

constexpr Coordinates both[] = {Coordinates::spanning, Coordinates::independent};

TEST(LoopDerivativesBatch, AreThoseOfSingleCalls) {
  std::fill_n(side_by_side, 3, 0U);
  for (const bool rows : {false, true}) {
    int looked_at[std::size(kinds)] = {};
    for (int seed = 0; seed < robots && !HasFailure(); ++seed)
      for (const Coordinates positions : both)
        for (const Coordinates velocities : both) {
          SCOPED_TRACE(::testing::Message()
                       << seed << rows << static_cast<int>(positions) << static_cast<int>(velocities));
          const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
          if (scene.model->data().cluster_count == 0) continue;
          Random random(static_cast<std::uint64_t>(seed));
          LoopStates<double> s(scene, rows ? random_point(random, scene.model) : nullptr, positions,
                               velocities, 5);
          if (s.usable) expect_as_single(s, seed % 2 + 1, 0, looked_at);
        }
    for (const int count : looked_at) EXPECT_GT(count, robots);
  }
  EXPECT_EQ(side_by_side[false], 0U);
  // Not next to dead centres, and not with more rows than a loop leaves freedoms.
  if (packs_by_choice()) {
    EXPECT_GT(20 * side_by_side[true], 17 * side_by_side[2]);
  }
}

TEST(LoopDerivativesBatch, OfLinkagesInSinglePrecision) {
  int looked_at[std::size(kinds)] = {};
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"})
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(name);
      LoopStates<float> s(model_scene(name), nullptr, Coordinates::independent, velocities, 3);
      ASSERT_TRUE(s.usable);
      expect_as_single(s, 1, 1e-6, looked_at);
    }
}

// On its feet; results are rounded to seven digits.
TEST(LoopDerivativesBatch, OfCassieInSinglePrecision) {
  const LoopScene scene = model_scene("cassie", true);
  std::vector<ConstraintSpec> feet;
  for (const char* name : {"left-foot", "right-foot"})
    feet.push_back(point_constraint(scene.model->find_link(name), {0.05, 0.02, 0}));
  int looked_at[std::size(kinds)] = {};
  for (const Coordinates velocities : both) {
    LoopStates<float> s(scene, ConstraintSet::bind(scene.model, feet), Coordinates::spanning, velocities, 19);
    ASSERT_TRUE(s.usable);
    std::fill_n(side_by_side, 3, 0U);
    expect_as_single(s, 1, 1e-6, looked_at);
    if (packs_by_choice()) {
      EXPECT_EQ(side_by_side[true], side_by_side[2]);
    }
  }
  for (const int count : looked_at) EXPECT_GT(count, 0);
}

// Gears and folded rotors are clusters too.
TEST(LoopDerivativesBatch, OfGearedRobotsAreThoseOfSingleCalls) {
  int folded = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed)
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(seed);
      Random random(static_cast<std::uint64_t>(seed));
      Robot tree = random_robot(static_cast<std::uint64_t>(seed), 20);
      add_gears(random, tree.mechanism);
      if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
      const LoopScene scene = loop_scene(tree.mechanism, tree.options);
      folded += scene.model->folding != nullptr;
      LoopStates<double> s(scene, nullptr, Coordinates::spanning, velocities, 3);
      int looked_at[std::size(kinds)] = {};
      if (s.usable && scene.model->data().cluster_count > 0) expect_as_single(s, 1, 0, looked_at);
    }
  EXPECT_GT(folded, robots / 4);
}

// Where dependent positions are searched from the guess, also of robots with inertias of their own.
TEST(LoopDerivativesBatch, OfRobotsOfTheirOwnStartFromTheGuess) {
  const LoopScene scene = model_scene("four_bar");
  LoopStates<double> s(scene, nullptr, Coordinates::independent, Coordinates::independent, 4);
  ASSERT_TRUE(s.usable);
  // The other way to assemble the linkage.
  VectorXd other = s.loops.q;
  List all(20 * index(scene.model->nq));
  int found = 0;
  Workspace search(scene.model);
  ASSERT_EQ(find_assemblies(search, s.loops.q.data(), 50, 20, all.data(), &found), Status::ok);
  double far = 0;
  for (int i = 0; i < found; ++i) {
    const VectorXd there = VectorXd::Map(&all[index(i) * index(scene.model->nq)], scene.model->nq);
    if ((there - s.loops.q).norm() > far) far = (there - s.loops.q).norm(), other = there;
  }
  ASSERT_GT(far, 0.1);
  s.loops.q = other;
  ASSERT_EQ(s.place(s.w), Status::ok);
  for (std::size_t i = 0; i < s.count; ++i)
    ASSERT_EQ(independent_positions(search, other.data(), &s.q[i * s.nq]), Status::ok);
  Batch batch(s.model, nullptr, batch_options());
  s.place(batch);
  const std::size_t links = s.model->links.size();
  List loads(s.count * links);
  for (std::size_t i = 0; i < s.count; ++i) loads[i * links + links - 1] = 0.5 * static_cast<double>(i);
  BatchParameters own;
  own.payload_masses = array_of(loads, links);
  batch.set_parameters(s.count, own);
  for (const Kind& kind : kinds) {
    ASSERT_EQ(batch.run(s.call(kind, false)), Status::ok) << batch.message();
    for (std::size_t i = 0; i < s.count; ++i) {
      ASSERT_EQ(set_payload(s.w, static_cast<int>(links) - 1, {loads[i * links + links - 1], {}, {}}),
                Status::ok);
      List expected[10];
      ASSERT_EQ(s.compute_one(kind, false, s.w, i, expected), Status::ok) << s.w.message();
      for (std::size_t r = 0; r < 10; ++r) {
        const List there = part(s.out[r], i, expected[r].size());
        EXPECT_LE(difference(there.data(), expected[r].data(), there.size()), 1e-10) << r;
      }
    }
  }
}

// ---- rollouts

// Whether independent positions that move so pass a dead centre, behind which no others close the loops in this way: up to there
// the search finds some, and the dependent joints become as fast as one likes. A search that had failed would stop elsewhere.
bool passes_dead_centre(LoopStates<double>& s, const double* from, const double* rate, double time) {
  Workspace free(s.model);
  VectorXd y(static_cast<Eigen::Index>(s.nq)), q = s.loops.q;
  const List none(s.nv, 0.0);
  List a(s.nv);
  const auto closes_at = [&](double share) {
    EXPECT_EQ(integrate(s.w, from, rate, share * time, y.data()), Status::ok);
    if (forward_dynamics(s.w, {y.data(), none.data(), none.data(), nullptr}, a.data()) == Status::open_loop)
      return false;
    EXPECT_EQ(spanning_positions(free, y.data(), q.data(), q.data()), Status::ok);
    return true;
  };
  if (closes_at(1) || !closes_at(0)) return false;
  double near = 0, far = 1;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = (near + far) / 2;
    (closes_at(middle) ? near : far) = middle;
  }
  Eigen::MatrixXd G(s.model->nv, s.model->ny);
  const Status status = loop_map(free, q.data(), nullptr, G.data(), s.model->nv, nullptr);
  return status == Status::singular_configuration || G.norm() > 1e3;
}

// L is the sum of records with these weights. Torques of each step.
struct LoopRollout {
  LoopRollout(LoopStates<double>& s_, Integrator integrator_, std::size_t steps_, std::size_t every_)
      : s(s_), integrator(integrator_), steps(steps_), every(every_), records(steps / every) {
    weight_q = s.drawn(records * s.nv), weight_v = s.drawn(records * s.nv), tau = s.drawn(steps * s.nv);
    by_q.assign(s.count * s.nv, -77), by_v = by_q, by_tau.assign(s.count * steps * s.nv, -77);
  }
  static BatchArray of_records(List& list, std::size_t numbers, std::size_t count) {
    BatchArray a = array_of(list, numbers * count);
    a.record_stride = static_cast<std::ptrdiff_t>(numbers);
    return a;
  }
  BatchCall call(bool backward) {
    BatchCall c;
    c.function = backward ? BatchFunction::rollout_derivatives : BatchFunction::rollout;
    c.states = s.count, c.steps = steps, c.every = every, c.dt = s.dt, c.integrator = integrator;
    s.status.assign(s.count, 77), c.status = s.status.data();
    c.q = array_of(s.q, s.nq), c.v = array_of(s.v, s.nv), c.x = of_records(tau, s.nv, steps);
    c.wrenches = array_of(s.wrenches, s.forces);
    if (!backward) return c;
    c.derivatives.form = DerivativeForm::vjp;
    c.derivatives.along_q = of_records(weight_q, s.nv, records);
    c.derivatives.along_v = of_records(weight_v, s.nv, records);
    c.out[4] = array_of(by_q, s.nv), c.out[5] = array_of(by_v, s.nv),
    c.out[6] = of_records(by_tau, s.nv, steps);
    return c;
  }
  // Gradients of state i by single steps.
  void take_steps(std::size_t i, List& by_start, List& by_rate, List& by_force) {
    List q = part(s.q, i, s.nq), v = part(s.v, i, s.nv);
    const List f = part(s.wrenches, i, s.forces);
    std::vector<List> path_q, path_v;
    for (std::size_t k = 0; k < steps; ++k) {
      path_q.push_back(q), path_v.push_back(v);
      ASSERT_EQ(step_in_time(s.w, integrator, {}, s.dt, q.data(), v.data(), &tau[(i * steps + k) * s.nv],
                             f.data(), nullptr, nullptr),
                Status::ok);
    }
    by_start.assign(s.nv, 0), by_rate = by_start, by_force.assign(steps * s.nv, 0);
    for (std::size_t k = records * every; k-- > 0;) {
      const std::size_t at = (i * records + k / every) * s.nv;
      for (std::size_t e = 0; (k + 1) % every == 0 && e < s.nv; ++e)
        by_start[e] += weight_q[at + e], by_rate[e] += weight_v[at + e];
      const List a = by_start, b = by_rate;
      const Inputs<double> in = {path_q[k].data(), path_v[k].data(), &tau[(i * steps + k) * s.nv], f.data()};
      ASSERT_EQ(step_vjp(s.w, integrator, {}, s.dt, in, a.data(), b.data(), {},
                         {{by_start.data(), 0}, {by_rate.data(), 0}, {&by_force[k * s.nv], 0}}),
                Status::ok)
          << s.w.message();
    }
  }
  // Whether state i starts behind a dead centre, or comes to one.
  bool leaves_reach(std::size_t i) {
    List q = part(s.q, i, s.nq), v = part(s.v, i, s.nv), a(s.nv), before;
    const List f = part(s.wrenches, i, s.forces);
    for (std::size_t k = 0; k < steps; ++k) {
      const List from = q;
      List rate = v;
      const double* const force = &tau[(i * steps + k) * s.nv];
      if (step_in_time(s.w, integrator, {}, s.dt, q.data(), v.data(), force, f.data(), nullptr, nullptr) ==
          Status::ok) {
        before = from;
        continue;
      }
      const Inputs<double> in = {from.data(), rate.data(), force, f.data()};
      const Status there =
          s.set ? constrained_dynamics(s.w, {}, in, a.data(), nullptr) : forward_dynamics(s.w, in, a.data());
      if (there == Status::open_loop && k == 0)
        return passes_dead_centre(s, s.loops.y.data(), s.loops.ydot.data(), 0.01 * static_cast<double>(i));
      if (there == Status::open_loop) return passes_dead_centre(s, before.data(), rate.data(), 4 * s.dt);
      for (std::size_t e = 0; e < s.nv; ++e) rate[e] += s.dt * a[e];
      return passes_dead_centre(s, from.data(), rate.data(), 4 * s.dt);
    }
    return false;
  }
  // L of all states where these have moved by h along a change; positions as tangents at records of `from`.
  List sums(Batch& batch, const List& dq, const List& dv, const List& dtau, double h, const List& from) {
    LoopStates<double>& t = s;
    const List q = t.q, v = t.v, forces = tau;
    for (std::size_t i = 0; i < t.count; ++i)
      EXPECT_EQ(integrate(t.w, &q[i * t.nq], &dq[i * t.nv], h, &t.q[i * t.nq]), Status::ok) << t.w.message();
    for (std::size_t e = 0; e < dv.size(); ++e) t.v[e] += h * dv[e];
    for (std::size_t e = 0; e < dtau.size(); ++e) tau[e] += h * dtau[e];
    List at_q(t.count * records * t.nq), at_v(t.count * records * t.nv), moved(t.nv), sum(t.count, 0.0);
    BatchCall c = call(false);
    c.out[0] = of_records(at_q, t.nq, records), c.out[1] = of_records(at_v, t.nv, records);
    EXPECT_EQ(batch.run(c), Status::ok) << batch.message();
    t.q = q, t.v = v, tau = forces;
    for (std::size_t k = 0; k < t.count * records; ++k) {
      const double* const base = from.empty() ? &at_q[k * t.nq] : &from[k * t.nq];
      EXPECT_EQ(tenon::difference(t.w, base, &at_q[k * t.nq], moved.data()), Status::ok);
      for (std::size_t e = 0; e < t.nv; ++e)
        sum[k / records] += weight_q[k * t.nv + e] * moved[e] + weight_v[k * t.nv + e] * at_v[k * t.nv + e];
    }
    if (from.empty()) ends = at_q;
    return sum;
  }

  LoopStates<double>& s;
  Integrator integrator;
  std::size_t steps, every, records;
  List tau, weight_q, weight_v, by_q, by_v, by_tau, ends;
};

template <class Check>
void for_rollouts(std::size_t steps, std::size_t every, const Check& check) {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4})
    for (const bool rows : {false, true})
      for (const Coordinates positions : both) {
        int looked_at = 0;
        for (int seed = 0; seed < 2 * robots && !::testing::Test::HasFailure(); ++seed) {
          SCOPED_TRACE(::testing::Message() << seed << rows << static_cast<int>(positions));
          const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
          if (scene.model->data().cluster_count == 0) continue;
          Random random(static_cast<std::uint64_t>(seed));
          LoopStates<double> s(scene, rows ? random_point(random, scene.model) : nullptr, positions,
                               Coordinates::independent, 3);
          if (!s.usable) continue;
          LoopRollout r(s, integrator, steps, every);
          Batch batch(s.model, s.set, batch_options(false, Instructions::automatic, seed % 2 + 1));
          s.place(batch);
          const Status status = batch.run(r.call(true));
          if (status == Status::open_loop && s.positions == Coordinates::independent) {
            std::size_t first = 0;
            while (first + 1 < s.count && s.status[first] >= 0) ++first;
            ASSERT_TRUE(r.leaves_reach(first)) << batch.message();
            continue;
          }
          // Next to dead centres, and where rows contradict each other.
          if (status == Status::singular_configuration || status == Status::unsupported) continue;
          ASSERT_EQ(status, Status::ok) << batch.message();
          check(r, batch), ++looked_at;
        }
        EXPECT_GT(looked_at, robots / 3);
      }
}

TEST(LoopDerivativesBatch, GradientsThroughRolloutsAreThoseOfSingleSteps) {
  std::size_t packed = 0;
  for_rollouts(7, 3, [&](LoopRollout& r, Batch& batch) {
    packed += batch.packed();
    for (std::size_t i = 0; i < r.s.count; ++i) {
      List by_q, by_v, by_tau;
      r.take_steps(i, by_q, by_v, by_tau);
      const double within = r.s.positions == Coordinates::independent ? 0 : r.s.set ? 1e-8 : 1e-9;
      // Rows that hold the whole robot leave rounding errors of the gradients by forces.
      const double all = larger(size_of(by_q), larger(size_of(by_v), size_of(by_tau)));
      const auto expect_near = [&](const List& found, const List& expected) {
        EXPECT_LE(largest_difference(found, expected), within * larger(size_of(expected), 1e-3 * all));
      };
      expect_near(part(r.by_q, i, r.s.nv), by_q);
      expect_near(part(r.by_v, i, r.s.nv), by_v);
      expect_near(part(r.by_tau, i, r.steps * r.s.nv), by_tau);
    }
  });
  if (packs_by_choice()) {
    EXPECT_GT(packed, index(robots));
  }
}

// Of robots with folded rotors and a payload, which steps forward and backward both have.
TEST(LoopDerivativesBatch, GradientsThroughRolloutsOfGearedRobotsWithPayloads) {
  int folded = 0;
  for (int seed = 0; seed < 2 * robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    Robot tree = random_robot(static_cast<std::uint64_t>(seed), 12);
    add_gears(random, tree.mechanism);
    if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
    const LoopScene scene = loop_scene(tree.mechanism, tree.options);
    LoopStates<double> s(scene, seed % 2 == 0 ? random_point(random, scene.model) : nullptr,
                         Coordinates::spanning, Coordinates::independent, 9);
    if (!s.usable || !scene.model->folding) continue;
    Batch batch(s.model, s.set, batch_options());
    s.place(batch);
    const std::size_t links = s.model->links.size();
    List loads(links, 0.3);
    BatchParameters own;
    own.payload_masses = array_of(loads, links);
    batch.set_parameters(1, own);
    for (std::size_t link = 0; link < links; ++link)
      ASSERT_EQ(set_payload(s.w, static_cast<int>(link), {0.3, {}, {}}), Status::ok);
    for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
      LoopRollout r(s, integrator, 5, 2);
      const Status status = batch.run(r.call(true));
      if (status == Status::unsupported) continue;  // rows contradict each other
      ASSERT_EQ(status, Status::ok) << batch.message();
      ++folded;
      for (std::size_t i = 0; i < s.count; ++i) {
        List by_q, by_v, by_tau;
        r.take_steps(i, by_q, by_v, by_tau);
        const auto expect_near = [&](const List& found, const List& expected) {
          EXPECT_LE(difference(found.data(), expected.data(), expected.size()), 1e-8);
        };
        expect_near(part(r.by_q, i, s.nv), by_q);
        expect_near(part(r.by_v, i, s.nv), by_v);
        expect_near(part(r.by_tau, i, r.steps * s.nv), by_tau);
      }
    }
  }
  EXPECT_GT(folded, robots / 4);
}

TEST(LoopDerivativesBatch, GradientsThroughRolloutsAreSlopesOfRollouts) {
  for_rollouts(6, 2, [](LoopRollout& r, Batch& batch) {
    const std::size_t nv = r.s.nv;
    const List dq = r.s.drawn(nv), dv = r.s.drawn(nv), dtau = r.s.drawn(r.steps * nv);
    const List by_q = r.by_q, by_v = r.by_v, by_tau = r.by_tau;
    r.sums(batch, dq, dv, dtau, 0, {});
    const List from = r.ends;
    const auto slopes_by = [&](double h) {
      List slopes(r.s.count, 0.0);
      for (const int k : {-2, -1, 1, 2}) {
        const double weight = (std::abs(k) == 1 ? 8.0 : -1.0) * (k > 0 ? 1 : -1) / (12 * h);
        const List sums = r.sums(batch, dq, dv, dtau, k * h, from);
        for (std::size_t i = 0; i < r.s.count; ++i) slopes[i] += weight * sums[i];
      }
      return slopes;
    };
    const List slopes = slopes_by(1e-4);
    for (std::size_t i = 0; i < r.s.count; ++i) {
      double slope = 0, terms = 1;
      const auto add = [&](const List& by, const List& along, std::size_t numbers) {
        for (std::size_t e = i * numbers; e < (i + 1) * numbers; ++e)
          slope += by[e] * along[e], terms += std::abs(by[e] * along[e]);
      };
      add(by_q, dq, nv), add(by_v, dv, nv), add(by_tau, dtau, r.steps * nv);
      double most = 1e-6 * terms, nearest = slopes[i], before = slopes[i], apart = HUGE_VAL;
      // Towards dead centres motions bend: of shorter differences those that change least have the most digits, up to there.
      if (!(std::abs(slope - nearest) <= most)) {
        for (const double h : {3e-5, 1e-5, 3e-6, 1e-6, 3e-7}) {
          const double other = slopes_by(h)[i];
          if (std::abs(other - before) < apart) apart = std::abs(other - before), nearest = other;
          before = other;
        }
        most = larger(most, 2 * apart);
      }
      EXPECT_LE(std::abs(slope - nearest), most) << i;
    }
  });
}

// ---- what is refused

TEST(LoopDerivativesBatch, WhatIsUnsupportedIsBeforeAnythingIsComputed) {
  const auto refused = [](const std::shared_ptr<const Model>& model, const Kind& kind, const char* words) {
    SCOPED_TRACE(words);
    List q(index(model->nq), 0.1), v(index(model->nv), 0.1), out(v.size() * v.size(), 77.0);
    std::int32_t status = 77;
    BatchCall c;
    c.function = kind.function, c.states = 1, c.status = &status, c.derivatives.form = kind.form;
    c.steps = c.every = 1;
    c.q = array_of(q, q.size()), c.v = c.x = c.derivatives.along_x = array_of(v, v.size());
    c.out[1] = array_of(out, out.size());
    Batch batch(model, nullptr, batch_options());
    EXPECT_EQ(batch.run(c), Status::unsupported);
    EXPECT_NE(std::string(batch.message()).find(words), std::string::npos) << batch.message();
    EXPECT_EQ(status, 77);
    EXPECT_EQ(out, List(out.size(), 77.0));
  };
  const LoopScene scene = model_scene("four_bar");
  const LoopScene by_rows = with_row_loops(scene, {false});
  for (const Kind& kind : kinds)
    if (kind.function == BatchFunction::inverse_derivatives ||
        kind.function == BatchFunction::forward_derivatives)
      refused(by_rows.model, kind, "closed by rows");
  for (const BatchFunction function : {BatchFunction::step_derivatives, BatchFunction::rollout_derivatives})
    refused(scene.model, {function, DerivativeForm::vjp}, "set independent ones");
}

}  // namespace
}  // namespace tenon::testing
