// Gradients through rollouts: against single steps backward, and against differences of rollouts.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "tenon/constraints.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using List = std::vector<double>;

// Rollouts of a robot, the weights of their records, whose sum with these is L, and the gradients of L. N: double or float.
template <class N>
struct Rolled {
  using Numbers = std::vector<N>;

  Rolled(const Robot& robot, std::shared_ptr<const ConstraintSet> set, std::size_t steps_, std::size_t every_,
         std::size_t states = 5)
      : s(robot, std::move(set), states, 4),
        steps(steps_),
        every(every_),
        nq(s.q.size() / s.count),
        nv(s.v.size() / s.count),
        records(steps / every) {
    tau = drawn(steps * nv), weight_q = drawn(records * nv), weight_v = drawn(records * nv);
    by_q.assign(s.count * nv, N(-77)), by_v = by_q, by_tau.assign(s.count * steps * nv, N(-77));
  }
  Numbers drawn(std::size_t numbers, double reach = 1) {
    Numbers list(s.count * numbers);
    for (N& x : list) x = static_cast<N>(random.uniform(-reach, reach));
    return list;
  }
  void control() {
    stiffness = drawn(nv, 5), damping = drawn(nv), q_target = drawn(steps * nq), v_target = drawn(steps * nv);
    for (std::size_t i = 0; i < s.count; ++i)
      for (const Model::Joint& joint : s.model->joints)
        if (joint.nv > 1) std::fill_n(&stiffness[i * nv + index(joint.v_index)], joint.nv, N(0));
  }
  // Gradients by parameters too; loads: by wrenches of each step and by gravity.
  void ask(bool loads_) {
    asks = true, loads = loads_;
    for (std::size_t i = 0; i < kinds(); ++i) by_parameters[i].assign(s.count * whole(i), N(-77));
  }
  std::size_t kinds() const { return !asks ? 0 : loads ? parameter_kinds : 4; }
  std::size_t count_of(std::size_t kind) const {
    const std::size_t counts[parameter_kinds] = {10 * s.model->links.size(), nv, nv, nv,
                                                 6 * s.model->links.size(),  3};
    return counts[kind];
  }
  // Of all steps.
  std::size_t whole(std::size_t kind) const { return count_of(kind) * (kind == 4 ? steps : 1); }
  // Of a state, in the order of ByParameter.
  std::vector<List> parameters(std::size_t i) const {
    std::vector<List> all;
    for (std::size_t k = 0; k < kinds(); ++k) all.push_back(part(by_parameters[k], i, whole(k)));
    return all;
  }
  // Wrenches of their own for each step.
  void push() {
    pushed = s.wrenches.size() / s.count;
    s.wrenches = drawn(steps * pushed);
  }
  static BatchArray of_records(Numbers& list, std::size_t numbers, std::size_t count) {
    BatchArray a = array_of(list, numbers * count);
    a.record_stride = static_cast<std::ptrdiff_t>(numbers);
    return a;
  }
  BatchCall rollout() {
    BatchCall call = s.call(BatchFunction::rollout);
    call.steps = steps, call.every = every, call.dt = dt, call.integrator = integrator;
    call.x = of_records(tau, nv, steps);
    if (pushed > 0) call.wrenches = of_records(s.wrenches, pushed, steps);
    for (BatchArray& a : call.out) a = {};
    if (!stiffness.empty())
      call.feedback = {array_of(stiffness, nv), array_of(damping, nv), of_records(q_target, nq, steps),
                       of_records(v_target, nv, steps)};
    return call;
  }
  BatchCall backward() {
    BatchCall call = rollout();
    call.function = BatchFunction::rollout_derivatives, call.derivatives.form = DerivativeForm::vjp;
    call.derivatives.along_q = of_records(weight_q, nv, records);
    call.derivatives.along_v = of_records(weight_v, nv, records);
    call.out[4] = array_of(by_q, nv), call.out[5] = array_of(by_v, nv);
    call.out[6] = of_records(by_tau, nv, steps);
    for (std::size_t i = 0; i < kinds(); ++i)
      call.derivatives.by_parameters[i] = of_records(by_parameters[i], count_of(i), whole(i) / count_of(i));
    return call;
  }
  // Torques of a step with those of the controller.
  List torques(std::size_t i, std::size_t step, const List& q, const List& v) const {
    const std::size_t at = i * steps + step;
    List all = part(tau, at, nv);
    const auto of = [](const Numbers& list, std::size_t place) { return static_cast<double>(list[place]); };
    for (const Model::Joint& joint : s.model->joints)
      for (int d = 0; d < joint.nv && !stiffness.empty(); ++d) {
        const std::size_t e = index(joint.v_index + d), p = index(joint.q_index);
        double force = of(damping, i * nv + e) * (of(v_target, at * nv + e) - v[e]);
        if (joint.nv == 1) force += of(stiffness, i * nv + e) * (of(q_target, at * nq + p) - q[p]);
        all[e] += force;
      }
    return all;
  }
  List wrench(std::size_t i, std::size_t step) const {
    return pushed > 0 ? part(s.wrenches, i * steps + step, pushed)
                      : part(s.wrenches, i, s.wrenches.size() / s.count);
  }
  static List part(const Numbers& list, std::size_t place, std::size_t numbers) {
    return part_of(list, place, numbers);
  }
  // By q, v and the torques of all steps.
  List gradients(std::size_t i) const {
    List all = part(by_q, i, nv);
    for (const List& more : {part(by_v, i, nv), part(by_tau, i, steps * nv)})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  States<N> s;
  std::size_t steps, every, nq, nv, records,
      pushed = 0;  // pushed: numbers of the wrenches of a step; 0: the same in all
  double dt = 1e-3;
  Integrator integrator = Integrator::semi_implicit_euler;
  Random random{9};
  Numbers tau, weight_q, weight_v, by_q, by_v, by_tau;
  Numbers stiffness, damping, q_target, v_target;  // empty: no controller
  bool asks = false, loads = false;
  Numbers by_parameters[parameter_kinds];
};

// The gradients of a state by single calls, as Rolled::gradients() and parameters() have them.
template <class N>
void take_steps(const Rolled<N>& r, Workspace& w, std::size_t i, List& all, std::vector<List>& sums) {
  sums.clear();
  for (std::size_t kind = 0; kind < r.kinds(); ++kind) sums.emplace_back(r.whole(kind), 0.0);
  List q = r.part(r.s.q, i, r.nq), v = r.part(r.s.v, i, r.nv);
  std::vector<List> path_q, path_v;
  for (std::size_t k = 0; k < r.steps; ++k) {
    path_q.push_back(q), path_v.push_back(v);
    const List tau = r.torques(i, k, q, v);
    ASSERT_GE(static_cast<std::int32_t>(step_in_time(w, r.integrator, {}, r.dt, q.data(), v.data(),
                                                     tau.data(), r.wrench(i, k).data(), nullptr, nullptr)),
              0)
        << w.message();
  }
  List by_q(r.nv, 0.0), by_v(by_q), by_tau(r.steps * r.nv, 0.0);
  for (std::size_t k = r.records * r.every; k-- > 0;) {
    double* const by = &by_tau[k * r.nv];
    const std::size_t at = (i * r.records + k / r.every) * r.nv;
    for (std::size_t e = 0; (k + 1) % r.every == 0 && e < r.nv; ++e)
      by_q[e] += static_cast<double>(r.weight_q[at + e]), by_v[e] += static_cast<double>(r.weight_v[at + e]);
    const List a = by_q, b = by_v, tau = r.torques(i, k, path_q[k], path_v[k]), wrench = r.wrench(i, k);
    ParameterGradient to;
    if (r.asks) to = {sums[0].data(), sums[1].data(), sums[2].data(), sums[3].data()};
    if (r.loads) to.by_wrenches = &sums[4][k * r.count_of(4)], to.by_gravity = sums[5].data();
    ASSERT_EQ(
        step_vjp(w, r.integrator, {}, r.dt, {path_q[k].data(), path_v[k].data(), tau.data(), wrench.data()},
                 a.data(), b.data(), {}, {{by_q.data(), 0}, {by_v.data(), 0}, {by, 0}}, to),
        Status::ok)
        << w.message();
    for (const Model::Joint& joint : r.s.model->joints)
      for (int d = 0; d < joint.nv && !r.stiffness.empty(); ++d) {
        const std::size_t e = index(joint.v_index + d);
        if (joint.nv == 1) by_q[e] -= static_cast<double>(r.stiffness[i * r.nv + e]) * by[e];
        by_v[e] -= static_cast<double>(r.damping[i * r.nv + e]) * by[e];
      }
  }
  all = by_q;
  for (const List* more : {&by_v, &by_tau}) all.insert(all.end(), more->begin(), more->end());
}

// tolerance: against the largest number of each state.
template <class N>
void compare_with_single_steps(Rolled<N>& r, Batch& batch, double tolerance, int& looked_at) {
  const Status whole = batch.run(r.backward());
  // Drawn rows may contradict each other.
  if (whole == Status::unsupported && std::string(batch.message()).find("contradict") != std::string::npos)
    return;
  ASSERT_EQ(whole, Status::ok) << batch.message();
  ++looked_at;
  if (!r.s.set) {
    EXPECT_EQ(batch.packed(), !r.loads && batch.width() > 1 ? r.s.count : 0);
  }
  std::unique_ptr<Workspace> workspace = r.s.workspace(0);
  for (std::size_t i = 0; i < r.s.count; ++i) {
    SCOPED_TRACE(i);
    if (!r.s.specs.empty() || !r.s.models.empty()) workspace = r.s.workspace(i);
    Workspace& w = *workspace;
    r.s.give_rows(w, i);
    if (!r.s.models.empty())
      set_joint_parameters(w, nullptr, r.part(r.s.damping, i, r.nv).data(),
                           r.part(r.s.friction, i, r.nv).data());
    List expected;
    std::vector<List> expected_sums;
    take_steps(r, w, i, expected, expected_sums);
    const List found = r.gradients(i);
    const std::vector<List> sums = r.parameters(i);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      SCOPED_TRACE(::testing::Message() << "parameters " << k);
      if (r.loads && r.s.set)  // state by state
        EXPECT_EQ(sums[k], expected_sums[k]);
      else
        EXPECT_LE(difference(sums[k].data(), expected_sums[k].data(), sums[k].size()), tolerance);
    }
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LE(difference(found.data(), expected.data(), found.size()), tolerance);
  }
}

// The same; returns how many went side by side.
template <class N>
std::size_t expect_as_single_steps(Rolled<N>& r, Batch& batch, double tolerance, int& looked_at) {
  compare_with_single_steps(r, batch, tolerance, looked_at);
  return batch.packed();
}

// L where the start and the torques have moved by h times a direction; positions as tangents at records of `from`.
double sum_of(Rolled<double> r, Batch& batch, const List& dq, const List& dv, const List& dtau, double h,
              std::size_t state, const List& from) {
  Workspace w(r.s.model);
  const List q = r.s.q;
  for (std::size_t i = 0; i < r.s.count; ++i)
    EXPECT_EQ(integrate(w, &q[i * r.nq], &dq[i * r.nv], h, &r.s.q[i * r.nq]), Status::ok);
  for (std::size_t e = 0; e < dv.size(); ++e) r.s.v[e] += h * dv[e];
  for (std::size_t e = 0; e < dtau.size(); ++e) r.tau[e] += h * dtau[e];
  List at_q(r.s.count * r.records * r.nq), at_v(r.s.count * r.records * r.nv), moved(r.nv);
  BatchCall call = r.rollout();
  call.out[0] = Rolled<double>::of_records(at_q, r.nq, r.records);
  call.out[1] = Rolled<double>::of_records(at_v, r.nv, r.records);
  EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
  double sum = 0;
  for (std::size_t k = state * r.records; k < (state + 1) * r.records; ++k) {
    EXPECT_EQ(tenon::difference(w, &from[k * r.nq], &at_q[k * r.nq], moved.data()), Status::ok);
    for (std::size_t e = 0; e < r.nv; ++e)
      sum += r.weight_q[k * r.nv + e] * moved[e] + r.weight_v[k * r.nv + e] * at_v[k * r.nv + e];
  }
  return sum;
}

void expect_slopes(Rolled<double>& r, Batch& batch, double tolerance) {
  ASSERT_EQ(batch.run(r.backward()), Status::ok) << batch.message();
  const List dq = r.drawn(r.nv), dv = r.drawn(r.nv), dtau = r.drawn(r.steps * r.nv);
  List from(r.s.count * r.records * r.nq);
  BatchCall call = r.rollout();
  call.out[0] = Rolled<double>::of_records(from, r.nq, r.records);
  ASSERT_EQ(batch.run(call), Status::ok);
  const double h = 1e-6;
  for (std::size_t i = 0; i < r.s.count; ++i) {
    double slope = 0, terms = 1;
    const auto add = [&](const List& by, const List& along, std::size_t numbers) {
      for (std::size_t e = i * numbers; e < (i + 1) * numbers; ++e)
        slope += by[e] * along[e], terms += std::abs(by[e] * along[e]);
    };
    add(r.by_q, dq, r.nv), add(r.by_v, dv, r.nv), add(r.by_tau, dtau, r.steps * r.nv);
    const double found =
        (sum_of(r, batch, dq, dv, dtau, h, i, from) - sum_of(r, batch, dq, dv, dtau, -h, i, from)) / (2 * h);
    EXPECT_LE(std::abs(slope - found), tolerance * terms) << i;
  }
}

const std::uint64_t seeds[] = {2, 6, 13, 17};

std::shared_ptr<const ConstraintSet> rows_on(const Robot& robot, std::uint64_t seed) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = 6;
  return ConstraintSet::bind(robot.model, random_constraints(random, *robot.model, options));
}

TEST(RolloutGradients, AreThoseOfSingleSteps) {
  int looked_at = 0;
  std::size_t packed = 0;  // of those with rows
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, 12);
    if (robot.model->nv == 0) continue;
    // All states kept, some, those of one record, and steps behind the last.
    for (const std::size_t every : {1, 3, 12, 5})
      for (const bool rows : {false, true})
        for (const bool controlled : {false, true}) {
          SCOPED_TRACE(::testing::Message() << every << rows << controlled);
          Rolled<double> r(robot, rows ? rows_on(robot, seed) : nullptr, 12, every);
          if (every != 12) r.integrator = Integrator::runge_kutta_4;
          if (controlled) r.control();
          if (rows) r.s.draw_rows(seed);
          if (every != 3) r.ask(controlled);
          Batch batch(r.s.model, r.s.set, batch_options());
          r.s.give_rows(batch);
          const std::size_t side_by_side = expect_as_single_steps(r, batch, rows ? 1e-9 : 1e-11, looked_at);
          if (rows) packed += side_by_side;
        }
  }
  EXPECT_GE(looked_at, 40);
  if (Batch(random_robot(2, 12).model, nullptr, batch_options()).width() > 1) {
    EXPECT_GE(packed, 20U);
  }
}

// Packs that are full and not, of all instruction sets; with robots of their own, a controller and wrenches in half of the
// trials each.
template <class N>
void expect_packs_as_single_steps(double tolerance) {
  int trial = 0, looked_at = 0;
  for (const Instructions here : instruction_sets_here())
    for (const std::uint64_t seed : seeds) {
      const Robot robot = random_robot(seed, 12);
      if (robot.model->nv == 0) continue;
      for (const std::size_t states : {1, 4, 7, 16, 19}) {
        SCOPED_TRACE(::testing::Message() << seed << " " << states << " " << ++trial);
        Rolled<N> r(robot, nullptr, 7, trial % 5 + 1, states);
        if (trial % 2 == 0) r.control();
        if (trial % 4 < 2) r.s.draw_robots(robot.mechanism, robot.options, seed);
        if (trial % 3 == 0) r.push();
        if (trial % 7 < 4) r.integrator = Integrator::runge_kutta_4;
        if (trial % 5 < 4) r.ask(trial % 5 == 3);
        Batch batch(r.s.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
        r.s.give_rows(batch);
        expect_as_single_steps(r, batch, tolerance, looked_at);
      }
    }
  EXPECT_GE(looked_at, 15);
}
TEST(RolloutGradients, OfPacksAreThoseOfSingleSteps) {
  expect_packs_as_single_steps<double>(1e-11);
  expect_packs_as_single_steps<float>(1e-3);
}

TEST(RolloutGradients, AreSlopesOfRollouts) {
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, 12);
    if (robot.model->nv == 0) continue;
    for (const bool controlled : {false, true})
      for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
        Rolled<double> r(robot, nullptr, 12, 4);
        r.integrator = integrator;
        if (controlled) r.control();
        Batch batch(r.s.model, nullptr, batch_options());
        expect_slopes(r, batch, 1e-6);
      }
  }
  const Robot walker = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  Rolled<double> r(walker, ConstraintSet::bind(walker.model, {point_constraint(5, {0.1, 0.2, 0})}), 12, 4);
  r.control();
  Batch batch(r.s.model, r.s.set, batch_options());
  r.s.give_rows(batch);
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
    r.integrator = integrator;
    expect_slopes(r, batch, 1e-6);
  }
}

// Kept states change no digit, nor do threads.
template <class N>
void expect_the_same_whatever_is_kept(const std::shared_ptr<const ConstraintSet>& set, const Robot& robot,
                                      Instructions here, Integrator integrator) {
  Rolled<N> some(robot, set, 12, 4, 21);
  some.integrator = integrator;
  some.control(), some.ask(false);
  Rolled<N> all = some;
  all.every = 1, all.records = 12;
  all.weight_q.assign(all.s.count * 12 * all.nv, N(0)), all.weight_v = all.weight_q;
  for (std::size_t i = 0; i < some.s.count; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t e = 0; e < some.nv; ++e) {
        const std::size_t to = (i * 12 + 4 * k + 3) * some.nv + e, from = (i * 3 + k) * some.nv + e;
        all.weight_q[to] = some.weight_q[from], all.weight_v[to] = some.weight_v[from];
      }
  const bool floats = sizeof(N) == sizeof(float);
  Batch one(some.s.model, set, batch_options(floats, here)),
      two(some.s.model, set, batch_options(floats, here, 2));
  for (Batch* b : {&one, &two}) some.s.give_rows(*b);
  const std::size_t before = one.bytes(), lanes = static_cast<std::size_t>(one.width());
  ASSERT_EQ(one.run(some.backward()), Status::ok) << one.message();
  EXPECT_GE(one.bytes() - before, (lanes > 1 ? lanes * sizeof(N) : 8) * (some.nq + some.nv) * (3 + 4));
  ASSERT_EQ(two.run(all.backward()), Status::ok) << two.message();
  EXPECT_EQ(some.by_q, all.by_q);
  EXPECT_EQ(some.by_v, all.by_v);
  EXPECT_EQ(some.by_tau, all.by_tau);
  for (std::size_t k = 0; k < some.kinds(); ++k) EXPECT_EQ(some.by_parameters[k], all.by_parameters[k]);
  // Nor do other states.
  for (std::size_t states = 1; states <= one.width() + std::size_t{2}; ++states) {
    Rolled<N> few = some;
    for (std::vector<N>* list : {&few.by_q, &few.by_v, &few.by_tau}) list->assign(list->size(), N(-77));
    few.ask(false);
    BatchCall call = few.backward();
    call.states = states;
    ASSERT_EQ(one.run(call), Status::ok);
    for (std::size_t i = 0; i < some.s.count; ++i) {
      EXPECT_EQ(few.gradients(i), i < states ? some.gradients(i) : List(few.gradients(i).size(), -77.0)) << i;
      for (std::size_t k = 0; k < few.kinds(); ++k)
        EXPECT_EQ(few.parameters(i)[k], i < states ? some.parameters(i)[k] : List(few.whole(k), -77.0)) << i;
    }
  }
}
TEST(RolloutGradients, DoNotDependOnWhatIsKept) {
  const Robot robot = random_robot(6, 12);
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
    expect_the_same_whatever_is_kept<double>(rows_on(robot, 6), robot, Instructions::automatic, integrator);
    for (const Instructions here : instruction_sets_here()) {
      expect_the_same_whatever_is_kept<double>(nullptr, robot, here, integrator);
      expect_the_same_whatever_is_kept<float>(nullptr, robot, here, integrator);
    }
  }
}

// At the start, in a step, at a record and in a sum of gradients.
template <class N>
void expect_failures_alone(std::size_t states, Integrator integrator) {
  const Robot robot = random_robot(6, 8);
  Rolled<N> r(robot, nullptr, 6, 2, states);
  r.integrator = integrator;
  r.control(), r.ask(false);
  Batch batch(r.s.model, nullptr, batch_options(sizeof(N) == sizeof(float)));
  ASSERT_EQ(batch.run(r.backward()), Status::ok) << batch.message();
  const Rolled<N> good = r;
  for (std::vector<N>* list : {&r.by_q, &r.by_v, &r.by_tau}) list->assign(list->size(), N(-77));
  r.ask(false);
  const N nan = std::numeric_limits<N>::quiet_NaN(), largest = std::numeric_limits<N>::max();
  r.tau[(1 * r.steps + 4) * r.nv] = nan, r.weight_q[(2 * r.records + 1) * r.nv] = nan;
  r.weight_v[(3 * r.records + 2) * r.nv] = nan;
  for (std::size_t k = 0; k < r.records; ++k) r.weight_v[(4 * r.records + k) * r.nv] = largest;
  if (states > 5) r.s.q[5 * r.nq] = nan;
  EXPECT_EQ(batch.run(r.backward()), Status::not_finite);
  EXPECT_NE(std::string(batch.message()).find("state 1: tau"), std::string::npos) << batch.message();
  for (std::size_t i = 0; i < states; ++i) {
    SCOPED_TRACE(i);
    const bool fails = i > 0 && i < 6;
    EXPECT_EQ(r.s.status[i], static_cast<std::int32_t>(fails ? Status::not_finite : Status::ok));
    if (!fails) {
      EXPECT_EQ(r.gradients(i), good.gradients(i));
      EXPECT_EQ(r.parameters(i), good.parameters(i));
      continue;
    }
    for (std::size_t k = 0; k < r.kinds(); ++k) EXPECT_EQ(r.parameters(i)[k], List(r.whole(k), -77.0));
    EXPECT_EQ(r.part(r.by_q, i, r.nv), List(r.nv, -77.0));
    EXPECT_EQ(r.part(r.by_v, i, r.nv), List(r.nv, -77.0));
    // From the end to where it failed: the second record of state 2, the last of state 3.
    for (std::size_t k = 0; k < r.steps; ++k) {
      const List there = r.part(r.by_tau, i * r.steps + k, r.nv);
      if (i == 2 && k >= 4) {
        const List before = r.part(good.by_tau, i * r.steps + k, r.nv);
        EXPECT_LE(difference(there.data(), before.data(), r.nv), sizeof(N) == sizeof(float) ? 1e-3 : 1e-11)
            << k;
      } else if (i != 4) {
        EXPECT_EQ(there, List(r.nv, -77.0)) << k;
      }
    }
  }
}
TEST(RolloutGradients, AStateThatFailsSpoilsNoOther) {
  for (const std::size_t states : {5, 6, 11, 24}) {
    for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
      expect_failures_alone<double>(states, integrator);
      expect_failures_alone<float>(states, integrator);
    }
  }
}

TEST(RolloutGradients, RefuseSpanningVelocitiesOfLoopsAndMoreStatesThanMemoryHolds) {
  Rolled<double> r(random_robot(6, 8), nullptr, 6, 2);
  Batch batch(r.s.model, nullptr, batch_options());
  BatchCall call = r.backward();
  call.x.record_stride = 0, call.out[6] = {};
  call.steps = std::numeric_limits<std::size_t>::max(), call.every = 1;
  EXPECT_THROW(batch.run(call), std::bad_alloc);
  call.every = call.steps;
  EXPECT_THROW(batch.run(call), std::bad_alloc);
  // No records: the steps have no part in L.
  call.steps = 3, call.every = 5;
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  EXPECT_EQ(r.by_q, List(r.by_q.size(), 0.0));

  const LoopScene scene = model_scene("four_bar");
  Batch loops(scene.model, nullptr, batch_options());
  EXPECT_EQ(loops.run(call), Status::unsupported);
  EXPECT_NE(std::string(loops.message()).find("set independent ones"), std::string::npos) << loops.message();
}

}  // namespace
}  // namespace tenon::testing
