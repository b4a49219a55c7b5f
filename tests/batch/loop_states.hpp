// States of robots with embedded loops near a closed configuration, as arrays of calls for derivatives and one by one.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "tenon/constraints.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {

using List = std::vector<double>;
using Eigen::VectorXd;

struct Kind {
  BatchFunction function;
  DerivativeForm form;
  Integrator integrator = Integrator::semi_implicit_euler;
};
inline constexpr Kind kinds[] = {
    {BatchFunction::inverse_derivatives, DerivativeForm::matrices},
    {BatchFunction::inverse_derivatives, DerivativeForm::vjp},
    {BatchFunction::inverse_derivatives, DerivativeForm::jvp},
    {BatchFunction::forward_derivatives, DerivativeForm::matrices},
    {BatchFunction::forward_derivatives, DerivativeForm::vjp},
    {BatchFunction::forward_derivatives, DerivativeForm::jvp},
    {BatchFunction::constrained_derivatives, DerivativeForm::matrices},
    {BatchFunction::constrained_derivatives, DerivativeForm::vjp},
    {BatchFunction::constrained_derivatives, DerivativeForm::jvp},
    {BatchFunction::impact_derivatives, DerivativeForm::matrices},
    {BatchFunction::impact_derivatives, DerivativeForm::vjp},
    {BatchFunction::impact_derivatives, DerivativeForm::jvp},
    {BatchFunction::step_derivatives, DerivativeForm::vjp},
    {BatchFunction::step_derivatives, DerivativeForm::jvp},
    {BatchFunction::step_derivatives, DerivativeForm::vjp, Integrator::runge_kutta_4},
    {BatchFunction::step_derivatives, DerivativeForm::jvp, Integrator::runge_kutta_4}};

template <class N>
List part(const std::vector<N>& list, std::size_t place, std::size_t numbers) {
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(place * numbers);
  return List(begin, begin + static_cast<std::ptrdiff_t>(numbers));
}

// States near a closed configuration, in the coordinates of a workspace.
template <class N>
struct LoopStates {
  using Numbers = std::vector<N>;

  LoopStates(const LoopScene& scene, std::shared_ptr<const ConstraintSet> set_, Coordinates positions_,
             Coordinates velocities_, std::size_t count_)
      : model(scene.model),
        set(std::move(set_)),
        count(count_),
        positions(positions_),
        velocities(velocities_),
        loops(scene, Random(5)),
        w(model, set) {
    usable = loops.regular() && model->ny > 0 && place(w) == Status::ok;
    if (!usable) return;
    const bool free = velocities == Coordinates::independent;
    const VectorXd &start = positions == Coordinates::independent ? loops.y : loops.q,
                   &rate = free ? loops.ydot : loops.v, &force = free ? loops.tau_y : loops.tau;
    nq = index(position_count(w)), nv = index(velocity_count(w)), m = set ? index(set->row_count()) : 0;
    forces = loops.wrenches.size();
    VectorXd moved = start;
    const auto append = [](Numbers& to, const double* from, std::size_t n, double scale) {
      for (std::size_t e = 0; e < n; ++e) to.push_back(static_cast<N>(scale * from[e]));
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (integrate(w, start.data(), rate.data(), 0.01 * static_cast<double>(i), moved.data()) != Status::ok)
        moved = start;
      append(q, moved.data(), nq, 1), append(v, rate.data(), nv, 1 - 0.05 * static_cast<double>(i));
      append(x, force.data(), nv, 1 + 0.1 * static_cast<double>(i)),
          append(wrenches, loops.wrenches.data(), forces, 1);
    }
    for (Numbers& list : along) list = drawn(nv);
    desired = drawn(m), along_rows = drawn(m), restitution = drawn(m);
    for (N& e : restitution) e = N(0.5) * (1 + e);
  }
  // Sets the coordinates.
  Status place(Workspace& to) {
    const Status taken = set_guess(to, loops.q.data());
    return taken == Status::ok ? set_coordinates(to, positions, velocities) : taken;
  }
  void place(Batch& batch) {
    batch.change([&](Workspace& each) { EXPECT_EQ(place(each), Status::ok) << each.message(); });
  }
  Numbers drawn(std::size_t numbers) {
    Numbers list(count * numbers);
    for (N& e : list) e = static_cast<N>(random.uniform(-1, 1));
    return list;
  }
  // Numbers of an output of one state.
  std::size_t numbers(const Kind& kind, std::size_t which) const {
    const bool step = kind.function == BatchFunction::step_derivatives,
               hits = kind.function == BatchFunction::impact_derivatives,
               constrained = kind.function == BatchFunction::constrained_derivatives || hits,
               matrices = kind.form == DerivativeForm::matrices, jvp = kind.form == DerivativeForm::jvp;
    if (which == 0) return step ? nq : nv;
    if (hits && (which == 3 || which > 7 || (which == 5 && !jvp))) return 0;
    if (which < 4) return matrices ? nv * nv : jvp && which > (step ? 2U : 1U) ? 0 : nv;
    if (which == 4) return step ? nv : constrained ? m : 0;
    if (!constrained || (which > 5 && !matrices)) return 0;
    return which == 5 ? (matrices ? nv * m : m) : which < 9 ? nv * m : m * m;
  }
  BatchCall call(const Kind& kind, bool accumulate) {
    BatchCall c;
    c.function = kind.function, c.states = count, c.dt = dt, c.integrator = kind.integrator;
    c.q = array_of(q, nq), c.v = array_of(v, nv), c.x = array_of(x, nv),
    c.wrenches = array_of(wrenches, forces);
    status.assign(count, 77), c.status = status.data();
    BatchCall::Differentiation& d = c.derivatives;
    d.form = kind.form, d.accumulate = accumulate;
    const bool step = kind.function == BatchFunction::step_derivatives,
               jvp = kind.form == DerivativeForm::jvp;
    if (jvp || step) d.along_q = array_of(along[0], nv), d.along_v = array_of(along[1], nv);
    if (jvp || (kind.form == DerivativeForm::vjp && !step)) d.along_x = array_of(along[2], nv);
    const bool hits = kind.function == BatchFunction::impact_derivatives;
    if (hits) c.x = c.wrenches = {};
    if ((hits || kind.function == BatchFunction::constrained_derivatives) && m > 0) {
      if (hits)
        c.restitution = array_of(restitution, m);
      else
        c.desired = array_of(desired, m);
      if (kind.form != DerivativeForm::matrices) d.along_rows = array_of(along_rows, m);
    }
    for (std::size_t i = 0; i < 10; ++i) {
      out[i].assign(count * numbers(kind, i), N(0.25));
      if (out[i].empty()) continue;
      c.out[i] = array_of(out[i], numbers(kind, i));
      c.out[i].record_stride = static_cast<std::ptrdiff_t>(i < 6 ? nv : m);
    }
    return c;
  }
  // State i by a single call: its numbers, 0.25 where nothing is written.
  Status compute_one(const Kind& kind, bool accumulate, Workspace& one, std::size_t i, List (&to)[10]) const {
    const List q_i = part(q, i, nq), v_i = part(v, i, nv), x_i = part(x, i, nv),
               f = part(wrenches, i, forces), a = part(along[0], i, nv), b = part(along[1], i, nv),
               c = part(along[2], i, nv), k = part(desired, i, m), z = part(along_rows, i, m),
               e = part(restitution, i, m);
    double* by[10];
    for (std::size_t r = 0; r < 10; ++r) {
      to[r].assign(numbers(kind, r), 0.25);
      by[r] = to[r].empty() ? nullptr : to[r].data();
    }
    const int ld = static_cast<int>(nv), rows = static_cast<int>(m);
    const DerivativeOptions how{accumulate};
    const Derivatives d = {{by[1], ld}, {by[2], ld}, {by[3], ld}};
    const StateChange change = {a.data(), b.data(), c.data()};
    const bool inverse = kind.function == BatchFunction::inverse_derivatives,
               constrained = kind.function == BatchFunction::constrained_derivatives,
               step = kind.function == BatchFunction::step_derivatives;
    Inputs<double> in = {q_i.data(), v_i.data(), x_i.data(), f.data()};
    if (inverse) in.tau = nullptr, in.qdd = x_i.data();
    if (constrained && m > 0) in.desired = k.data();
    const double* const of_rows = m > 0 ? z.data() : nullptr;
    if (kind.function == BatchFunction::impact_derivatives) {
      const ImpactInputs hit = {m > 0 ? e.data() : nullptr, rows, q_i.data(), v_i.data()};
      if (kind.form == DerivativeForm::matrices)
        return impact_derivatives(one, how, hit, by[0], by[4],
                                  {{d.by_q, d.by_v, {}}, {{by[6], rows}, {by[7], rows}, {}}});
      return kind.form == DerivativeForm::vjp
                 ? impact_vjp(one, how, hit, c.data(), of_rows, by[0], by[4], d)
                 : impact_jvp(one, how, hit, a.data(), b.data(), by[0], by[4], by[1], by[5]);
    }
    switch (kind.form) {
      case DerivativeForm::matrices:
        if (constrained)
          return constrained_dynamics_derivatives(
              one, how, in, by[0], by[4],
              {d, {by[5], ld}, {{by[6], rows}, {by[7], rows}, {by[8], rows}}, {by[9], rows}});
        return (inverse ? inverse_dynamics_derivatives : forward_dynamics_derivatives)(one, how, in, by[0],
                                                                                       d);
      case DerivativeForm::vjp:
        if (constrained)
          return constrained_dynamics_vjp(one, how, in, c.data(), of_rows, by[0], by[4], {d, {by[5], 0}});
        if (step) return step_vjp(one, kind.integrator, how, dt, in, a.data(), b.data(), {by[0], by[4]}, d);
        return (inverse ? inverse_dynamics_vjp : forward_dynamics_vjp)(one, how, in, c.data(), by[0], d);
      default:
        if (constrained)
          return constrained_dynamics_jvp(one, how, in, {change, of_rows}, by[0], by[4], by[1], by[5]);
        if (step) return step_jvp(one, kind.integrator, how, dt, in, change, {by[0], by[4]}, d);
        return (inverse ? inverse_dynamics_jvp : forward_dynamics_jvp)(one, how, in, change, by[0], by[1]);
    }
  }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> set;
  std::size_t count, nq = 0, nv = 0, m = 0, forces = 0;
  Coordinates positions, velocities;
  MovingLoops loops;
  Workspace w;
  Random random{11};
  bool usable = false;
  double dt = 0.002;
  Numbers q, v, x, wrenches, desired, along[3], along_rows, restitution, out[10];
  std::vector<std::int32_t> status;
};

// Settings of rows, and robots, are those of `settings`.
struct LoopStatesWithRows {
  LoopStatesWithRows(const LoopScene& scene, const std::shared_ptr<const ConstraintSet>& set,
                     Coordinates velocities, std::size_t count)
      : s(scene, set, Coordinates::spanning, velocities, count), settings(scene.model, set, count, 5) {}
  void place(Batch& batch) {
    s.place(batch);
    settings.give_rows(batch);
  }
  std::unique_ptr<Workspace> workspace(std::size_t i, Instructions instructions = Instructions::automatic) {
    WorkspaceOptions how;
    how.instructions = instructions;
    std::unique_ptr<Workspace> w = settings.workspace(i, how);
    EXPECT_EQ(s.place(*w), Status::ok) << w->message();
    settings.give_rows(*w, i);
    if (settings.models.empty()) return w;
    const std::size_t nv = index(settings.model->nv);
    set_joint_parameters(*w, nullptr, part(settings.damping, i, nv).data(),
                         part(settings.friction, i, nv).data());
    return w;
  }

  LoopStates<double> s;
  States<double> settings;
};

// Cassie, with points of its feet or welded to the ground.
struct Feet {
  explicit Feet(bool welded, const std::vector<Vector3>& points = {{0.05, 0.02, 0}}, double frequency = 5)
      : loops(model_scene("cassie", true)) {
    std::vector<ConstraintSpec> specs;
    for (const char* name : {"left-foot", "right-foot"}) {
      const int link = loops.model->find_link(name);
      if (welded) specs.push_back(weld_constraint(link, {}));
      for (const Vector3& point : points)
        if (!welded) specs.push_back(point_constraint(link, point));
    }
    for (ConstraintSpec& spec : specs) spec.frequency = frequency;
    set = ConstraintSet::bind(loops.model, specs);
  }
  LoopScene loops;
  std::shared_ptr<const ConstraintSet> set;
};

inline double size_of(const List& list) {
  double size = 0;
  for (const double x : list) size = larger(size, std::abs(x));
  return size;
}

// The instruction sets of this machine whose batches compute several states at a time.
inline std::vector<Instructions> with_packs() {
  std::vector<Instructions> sets = instruction_sets_here();
  const Robot robot = random_robot(3, 5);
  sets.erase(std::remove_if(sets.begin(), sets.end(),
                            [&](Instructions set) {
                              return Batch(robot.model, nullptr, batch_options(false, set)).width() == 1;
                            }),
             sets.end());
  return sets;
}

}  // namespace tenon::testing
