// Gradients through rollouts: against single steps backward, to the bit, and against differences of rollouts.
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

// Rollouts of a robot, the weights of their records, whose sum with these is L, and the gradients of L.
struct Rolled {
  Rolled(const Robot& robot, std::shared_ptr<const ConstraintSet> set, std::size_t steps_, std::size_t every_)
      : s(robot, std::move(set), 5, 4),
        steps(steps_),
        every(every_),
        nq(s.q.size() / s.count),
        nv(s.v.size() / s.count),
        records(steps / every) {
    tau = drawn(steps * nv), weight_q = drawn(records * nv), weight_v = drawn(records * nv);
    by_q.assign(s.count * nv, -77), by_v = by_q, by_tau.assign(s.count * steps * nv, -77);
  }
  List drawn(std::size_t numbers, double reach = 1) {
    List list(s.count * numbers);
    for (double& x : list) x = random.uniform(-reach, reach);
    return list;
  }
  void control() {
    stiffness = drawn(nv, 5), damping = drawn(nv), q_target = drawn(steps * nq), v_target = drawn(steps * nv);
    for (std::size_t i = 0; i < s.count; ++i)
      for (const Model::Joint& joint : s.model->joints)
        if (joint.nv > 1) std::fill_n(&stiffness[i * nv + index(joint.v_index)], joint.nv, 0.0);
  }
  static BatchArray of_records(List& list, std::size_t numbers, std::size_t count) {
    BatchArray a = array_of(list, numbers * count);
    a.record_stride = static_cast<std::ptrdiff_t>(numbers);
    return a;
  }
  BatchCall rollout() {
    BatchCall call = s.call(BatchFunction::rollout);
    call.steps = steps, call.every = every, call.dt = dt;
    call.x = of_records(tau, nv, steps);
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
    return call;
  }
  // Torques of a step with those of the controller.
  List torques(std::size_t i, std::size_t step, const List& q, const List& v) const {
    const std::size_t at = i * steps + step;
    List all = part(tau, at, nv);
    for (const Model::Joint& joint : s.model->joints)
      for (int d = 0; d < joint.nv && !stiffness.empty(); ++d) {
        const std::size_t e = index(joint.v_index + d), p = index(joint.q_index);
        double force = damping[i * nv + e] * (v_target[at * nv + e] - v[e]);
        if (joint.nv == 1) force += stiffness[i * nv + e] * (q_target[at * nq + p] - q[p]);
        all[e] += force;
      }
    return all;
  }
  static List part(const List& list, std::size_t place, std::size_t numbers) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(place * numbers);
    return List(begin, begin + static_cast<std::ptrdiff_t>(numbers));
  }

  States<double> s;
  std::size_t steps, every, nq, nv, records;
  double dt = 1e-3;
  Random random{9};
  List tau, weight_q, weight_v, by_q, by_v, by_tau;
  List stiffness, damping, q_target, v_target;  // empty: no controller
};

void expect_as_single_steps(Rolled& r, Batch& batch, int& looked_at) {
  const Status whole = batch.run(r.backward());
  // Drawn rows may contradict each other.
  if (whole == Status::unsupported && std::string(batch.message()).find("contradict") != std::string::npos)
    return;
  ASSERT_EQ(whole, Status::ok) << batch.message();
  ++looked_at;
  const std::size_t wrenches = r.s.wrenches.size() / r.s.count;
  std::unique_ptr<Workspace> workspace = r.s.workspace(0);
  for (std::size_t i = 0; i < r.s.count; ++i) {
    SCOPED_TRACE(i);
    if (!r.s.specs.empty()) workspace = r.s.workspace(i);
    Workspace& w = *workspace;
    r.s.give_rows(w, i);
    const List wrench = Rolled::part(r.s.wrenches, i, wrenches);
    List q = Rolled::part(r.s.q, i, r.nq), v = Rolled::part(r.s.v, i, r.nv);
    std::vector<List> path_q, path_v;
    for (std::size_t k = 0; k < r.steps; ++k) {
      path_q.push_back(q), path_v.push_back(v);
      const List tau = r.torques(i, k, q, v);
      ASSERT_GE(static_cast<std::int32_t>(step_semi_implicit_euler(
                    w, {}, r.dt, q.data(), v.data(), tau.data(), wrench.data(), nullptr, nullptr)),
                0)
          << w.message();
    }
    List by_q(r.nv, 0.0), by_v(by_q);
    for (std::size_t k = r.steps; k-- > 0;) {
      List by_tau(r.nv, 0.0);
      if (k < r.records * r.every) {
        if ((k + 1) % r.every == 0)
          for (std::size_t e = 0; e < r.nv; ++e) {
            const std::size_t at = (i * r.records + k / r.every) * r.nv + e;
            by_q[e] += r.weight_q[at], by_v[e] += r.weight_v[at];
          }
        const List a = by_q, b = by_v, tau = r.torques(i, k, path_q[k], path_v[k]);
        ASSERT_EQ(step_semi_implicit_euler_vjp(
                      w, {}, r.dt, {path_q[k].data(), path_v[k].data(), tau.data(), wrench.data()}, a.data(),
                      b.data(), {}, {{by_q.data(), 0}, {by_v.data(), 0}, {by_tau.data(), 0}}),
                  Status::ok)
            << w.message();
        for (const Model::Joint& joint : r.s.model->joints)
          for (int d = 0; d < joint.nv && !r.stiffness.empty(); ++d) {
            const std::size_t e = index(joint.v_index + d);
            if (joint.nv == 1) by_q[e] -= r.stiffness[i * r.nv + e] * by_tau[e];
            by_v[e] -= r.damping[i * r.nv + e] * by_tau[e];
          }
      }
      EXPECT_EQ(Rolled::part(r.by_tau, i * r.steps + k, r.nv), by_tau) << k;
    }
    EXPECT_EQ(Rolled::part(r.by_q, i, r.nv), by_q);
    EXPECT_EQ(Rolled::part(r.by_v, i, r.nv), by_v);
  }
}

// L where the start and the torques have moved by h times a direction; positions as tangents at records of `from`.
double sum_of(Rolled r, Batch& batch, const List& dq, const List& dv, const List& dtau, double h,
              std::size_t state, const List& from) {
  Workspace w(r.s.model);
  const List q = r.s.q;
  for (std::size_t i = 0; i < r.s.count; ++i)
    EXPECT_EQ(integrate(w, &q[i * r.nq], &dq[i * r.nv], h, &r.s.q[i * r.nq]), Status::ok);
  for (std::size_t e = 0; e < dv.size(); ++e) r.s.v[e] += h * dv[e];
  for (std::size_t e = 0; e < dtau.size(); ++e) r.tau[e] += h * dtau[e];
  List at_q(r.s.count * r.records * r.nq), at_v(r.s.count * r.records * r.nv), moved(r.nv);
  BatchCall call = r.rollout();
  call.out[0] = Rolled::of_records(at_q, r.nq, r.records);
  call.out[1] = Rolled::of_records(at_v, r.nv, r.records);
  EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
  double sum = 0;
  for (std::size_t k = state * r.records; k < (state + 1) * r.records; ++k) {
    EXPECT_EQ(tenon::difference(w, &from[k * r.nq], &at_q[k * r.nq], moved.data()), Status::ok);
    for (std::size_t e = 0; e < r.nv; ++e)
      sum += r.weight_q[k * r.nv + e] * moved[e] + r.weight_v[k * r.nv + e] * at_v[k * r.nv + e];
  }
  return sum;
}

void expect_slopes(Rolled& r, Batch& batch, double tolerance) {
  ASSERT_EQ(batch.run(r.backward()), Status::ok) << batch.message();
  const List dq = r.drawn(r.nv), dv = r.drawn(r.nv), dtau = r.drawn(r.steps * r.nv);
  List from(r.s.count * r.records * r.nq);
  BatchCall call = r.rollout();
  call.out[0] = Rolled::of_records(from, r.nq, r.records);
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
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, 12);
    if (robot.model->nv == 0) continue;
    // All states kept, some, those of one record, and steps behind the last.
    for (const std::size_t every : {1, 3, 12, 5})
      for (const bool rows : {false, true})
        for (const bool controlled : {false, true}) {
          SCOPED_TRACE(::testing::Message() << every << rows << controlled);
          Rolled r(robot, rows ? rows_on(robot, seed) : nullptr, 12, every);
          if (controlled) r.control();
          if (rows) r.s.draw_rows(seed);
          Batch batch(r.s.model, r.s.set, batch_options());
          r.s.give_rows(batch);
          expect_as_single_steps(r, batch, looked_at);
        }
  }
  EXPECT_GE(looked_at, 40);
}

TEST(RolloutGradients, AreSlopesOfRollouts) {
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, 12);
    if (robot.model->nv == 0) continue;
    for (const bool controlled : {false, true}) {
      Rolled r(robot, nullptr, 12, 4);
      if (controlled) r.control();
      Batch batch(r.s.model, nullptr, batch_options());
      expect_slopes(r, batch, 1e-6);
    }
  }
  const Robot walker = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  Rolled r(walker, ConstraintSet::bind(walker.model, {point_constraint(5, {0.1, 0.2, 0})}), 12, 4);
  r.control();
  Batch batch(r.s.model, r.s.set, batch_options());
  r.s.give_rows(batch);
  expect_slopes(r, batch, 1e-6);
}

// Kept states change no digit, nor do threads.
TEST(RolloutGradients, DoNotDependOnWhatIsKept) {
  const Robot robot = random_robot(6, 12);
  Rolled some(robot, rows_on(robot, 6), 12, 4);
  some.control();
  Rolled all = some;
  all.every = 1, all.records = 12;
  all.weight_q.assign(all.s.count * 12 * all.nv, 0.0), all.weight_v = all.weight_q;
  for (std::size_t i = 0; i < some.s.count; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t e = 0; e < some.nv; ++e) {
        const std::size_t to = (i * 12 + 4 * k + 3) * some.nv + e, from = (i * 3 + k) * some.nv + e;
        all.weight_q[to] = some.weight_q[from], all.weight_v[to] = some.weight_v[from];
      }
  Batch one(some.s.model, some.s.set, batch_options()),
      two(some.s.model, some.s.set, batch_options(false, Instructions::automatic, 2));
  for (Batch* b : {&one, &two}) some.s.give_rows(*b);
  const std::size_t before = one.bytes();
  ASSERT_EQ(one.run(some.backward()), Status::ok) << one.message();
  EXPECT_GE(one.bytes() - before, 8 * (some.nq + some.nv) * (3 + 4));
  ASSERT_EQ(two.run(all.backward()), Status::ok) << two.message();
  EXPECT_EQ(some.by_q, all.by_q);
  EXPECT_EQ(some.by_v, all.by_v);
  EXPECT_EQ(some.by_tau, all.by_tau);
}

TEST(RolloutGradients, AStateThatFailsSpoilsNoOther) {
  const Robot robot = random_robot(6, 8);
  Rolled r(robot, nullptr, 6, 2);
  Batch batch(r.s.model, nullptr, batch_options());
  ASSERT_EQ(batch.run(r.backward()), Status::ok) << batch.message();
  const Rolled good = r;
  r.by_q.assign(r.by_q.size(), -77);
  const double nan = std::nan("");
  r.tau[(1 * r.steps + 4) * r.nv] = nan, r.weight_q[(2 * r.records + 1) * r.nv] = nan;
  r.weight_v[(3 * r.records + 2) * r.nv] = nan;
  EXPECT_EQ(batch.run(r.backward()), Status::not_finite);
  EXPECT_NE(std::string(batch.message()).find("state 1: tau"), std::string::npos) << batch.message();
  for (std::size_t i = 0; i < r.s.count; ++i) {
    const bool fails = i > 0 && i < 4;
    EXPECT_EQ(r.s.status[i], static_cast<std::int32_t>(fails ? Status::not_finite : Status::ok)) << i;
    EXPECT_EQ(Rolled::part(r.by_q, i, r.nv), fails ? List(r.nv, -77.0) : Rolled::part(good.by_q, i, r.nv));
  }
}

TEST(RolloutGradients, RefuseLoopsAndMoreStatesThanMemoryHolds) {
  Rolled r(random_robot(6, 8), nullptr, 6, 2);
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
  EXPECT_NE(std::string(loops.message()).find("kinematic loops"), std::string::npos) << loops.message();
}

}  // namespace
}  // namespace tenon::testing
