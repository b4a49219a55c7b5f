// Derivatives of constrained dynamics and of impacts, as matrices and products, and of steps with constraint rows, of many
// states in one call: against calls of single states, and against differences of constrained dynamics and of impacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using List = std::vector<double>;

const int robots = std::max(20, test_robots() / 20);

struct Kind {
  BatchFunction function;
  DerivativeForm form;
  Integrator integrator = Integrator::semi_implicit_euler;
  bool by_rows = false;  // of matrices

  bool of_step() const { return function == BatchFunction::step_derivatives; }
  bool of_impact() const { return function == BatchFunction::impact_derivatives; }
};
constexpr Kind kinds[] = {
    {BatchFunction::constrained_derivatives, DerivativeForm::vjp},
    {BatchFunction::constrained_derivatives, DerivativeForm::jvp},
    {BatchFunction::constrained_derivatives, DerivativeForm::matrices},
    {BatchFunction::constrained_derivatives, DerivativeForm::matrices, Integrator::semi_implicit_euler, true},
    {BatchFunction::constrained_derivatives, DerivativeForm::parameter_vjp},
    {BatchFunction::impact_derivatives, DerivativeForm::vjp},
    {BatchFunction::impact_derivatives, DerivativeForm::jvp},
    {BatchFunction::impact_derivatives, DerivativeForm::matrices},
    {BatchFunction::impact_derivatives, DerivativeForm::matrices, Integrator::semi_implicit_euler, true},
    {BatchFunction::step_derivatives, DerivativeForm::vjp},
    {BatchFunction::step_derivatives, DerivativeForm::jvp},
    {BatchFunction::step_derivatives, DerivativeForm::vjp, Integrator::runge_kutta_4},
    {BatchFunction::step_derivatives, DerivativeForm::jvp, Integrator::runge_kutta_4}};

constexpr std::size_t outputs = 10;
// Where gradients by inertias, armatures, damping and dry friction are among them.
constexpr std::size_t by_parameters[] = {1, 2, 3, 6};

// States of a robot with rows, what derivatives are multiplied with, and the results, as BatchCall::out has them.
template <class N>
struct Derived {
  Derived(const States<N>& s_, const Kind& kind_, bool accumulate_ = false, bool of_lambda_ = true)
      : s(s_),
        kind(kind_),
        accumulate(accumulate_),
        of_lambda(of_lambda_),
        nq(index(s.model->nq)),
        nv(index(s.model->nv)),
        m(index(s.set->row_count())) {
    Random random(17);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t e = 0; e < s.count * (i < 3 ? nv : m); ++e)
        along[i].push_back(static_cast<N>(random.uniform(-1, 1)));
    for (std::size_t i = 0; i < outputs; ++i)
      for (std::size_t e = 0; e < s.count * numbers(i); ++e)
        out[i].push_back(static_cast<N>(accumulate ? random.uniform(-1, 1) : -77));
  }
  bool jvp() const { return kind.form == DerivativeForm::jvp; }
  bool matrices() const { return kind.form == DerivativeForm::matrices; }
  // Of the columns of a matrix, else one.
  std::size_t length(std::size_t which) const { return which > 5 ? m : nv; }
  std::size_t columns(std::size_t which) const {
    if (!matrices() || which == 0 || which == 4) return 1;
    return which == 5 || which == 9 ? m : nv;
  }
  bool parameters() const { return kind.form == DerivativeForm::parameter_vjp; }
  std::size_t numbers(std::size_t which) const {
    if (parameters() && which != 0 && which != 4)
      return which == 1 ? 10 * s.model->links.size() : which < 4 || which == 6 ? nv : 0;
    if (kind.of_impact() && (which == 3 || which > 7 || (which == 5 && !jvp()))) return 0;
    if (matrices() && which != 0 && which != 4) return length(which) * columns(which);
    if (which > 5) return 0;
    const bool step = kind.of_step();
    if (which == 0) return step ? nq : nv;
    if (which < 4) return jvp() && which > (step ? 2U : 1U) ? 0 : nv;
    return which == 4 ? (step ? nv : m) : step ? 0 : m;
  }
  BatchCall call() {
    BatchCall c;
    c.function = kind.function, c.states = s.count, c.status = s.status.data();
    c.dt = dt, c.integrator = kind.integrator;
    c.q = array_of(s.q, nq), c.v = array_of(s.v, nv), c.x = array_of(s.x, nv);
    c.wrenches = array_of(s.wrenches, s.wrenches.size() / s.count);
    BatchCall::Differentiation& d = c.derivatives;
    d.form = kind.form, d.accumulate = accumulate;
    if (kind.of_step() || jvp()) d.along_q = array_of(along[0], nv), d.along_v = array_of(along[1], nv);
    if (!kind.of_step() || jvp()) d.along_x = array_of(along[2], nv);
    if (kind.of_impact()) c.x = c.wrenches = {}, c.restitution = array_of(s.restitution, m);
    if (!kind.of_step()) {
      if (!kind.of_impact()) c.desired = array_of(s.desired, m);
      if (of_lambda) d.along_rows = array_of(along[3], m);
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      if (numbers(i) == 0) continue;
      if (parameters() && i != 0 && i != 4) {
        const auto kind_of = std::find(std::begin(by_parameters), std::end(by_parameters), i);
        d.by_parameters[kind_of - std::begin(by_parameters)] = array_of(out[i], numbers(i));
        continue;
      }
      c.out[i] = array_of(out[i], numbers(i));
      if (columns(i) == 1) continue;
      const auto own = static_cast<std::ptrdiff_t>(kind.by_rows ? columns(i) : length(i));
      c.out[i].number_stride = kind.by_rows ? own : 1, c.out[i].record_stride = kind.by_rows ? 1 : own;
    }
    return c;
  }
  // An output of a state, matrices column by column.
  List result(std::size_t which, std::size_t i) const {
    const List list = part(out[which], i, numbers(which));
    if (!kind.by_rows || columns(which) == 1 || list.empty()) return list;
    List to = list;
    for (std::size_t c = 0; c < columns(which); ++c)
      for (std::size_t r = 0; r < length(which); ++r)
        to[r + c * length(which)] = list[c + r * columns(which)];
    return to;
  }
  static List part(const std::vector<N>& list, std::size_t i, std::size_t numbers) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(i * numbers);
    return List(begin, begin + static_cast<std::ptrdiff_t>(numbers));
  }
  // State i by a single call.
  Status compute_one(Workspace& w, std::size_t i, std::array<List, outputs>& to) const {
    const List q = part(s.q, i, nq), v = part(s.v, i, nv), x = part(s.x, i, nv),
               wrenches = part(s.wrenches, i, s.wrenches.size() / s.count), desired = part(s.desired, i, m),
               a = part(along[0], i, nv), b = part(along[1], i, nv), c = part(along[2], i, nv),
               rows = part(along[3], i, m), e = part(s.restitution, i, m);
    for (std::size_t r = 0; r < outputs; ++r) to[r] = result(r, i);
    Inputs<double> in = {q.data(), v.data(), x.data(), wrenches.data()};
    const DerivativeOptions options{accumulate};
    const auto at = [&](std::size_t which) { return numbers(which) > 0 ? to[which].data() : nullptr; };
    const Derivatives by = {{at(1), 0}, {at(2), 0}, {at(3), 0}};
    const StateChange change = {a.data(), b.data(), c.data()};
    if (kind.of_step())
      return jvp() ? step_jvp(w, kind.integrator, options, dt, in, change, {at(0), at(4)}, by)
                   : step_vjp(w, kind.integrator, options, dt, in, a.data(), b.data(), {at(0), at(4)}, by);
    in.desired = desired.data();
    const double* const of_rows = of_lambda ? rows.data() : nullptr;
    if (kind.of_impact()) {
      const int n = static_cast<int>(nv), k = static_cast<int>(m);
      const ImpactInputs hit = {e.data(), k, q.data(), v.data()};
      if (matrices())
        return impact_derivatives(w, options, hit, at(0), at(4),
                                  {{{at(1), n}, {at(2), n}, {}}, {{at(6), k}, {at(7), k}, {}}});
      return jvp() ? impact_jvp(w, options, hit, a.data(), b.data(), at(0), at(4), at(1), at(5))
                   : impact_vjp(w, options, hit, c.data(), of_rows, at(0), at(4), by);
    }
    if (parameters()) {
      ParameterGradient to_parameters;
      to_parameters.by_inertia = at(1), to_parameters.by_armature = at(2);
      to_parameters.by_damping = at(3), to_parameters.by_friction = at(6);
      return constrained_dynamics_parameter_vjp(w, options, in, c.data(), of_rows, at(0), at(4),
                                                to_parameters);
    }
    if (matrices()) {
      const int n = static_cast<int>(nv), k = static_cast<int>(m);
      return constrained_dynamics_derivatives(w, options, in, at(0), at(4),
                                              {{{at(1), n}, {at(2), n}, {at(3), n}},
                                               {at(5), n},
                                               {{at(6), k}, {at(7), k}, {at(8), k}},
                                               {at(9), k}});
    }
    return jvp()
               ? constrained_dynamics_jvp(w, options, in, {change, of_rows}, at(0), at(4), at(1), at(5))
               : constrained_dynamics_vjp(w, options, in, c.data(), of_rows, at(0), at(4), {by, {at(5), 0}});
  }

  States<N> s;
  Kind kind;
  bool accumulate, of_lambda;
  double dt = 0.01;
  std::size_t nq, nv, m;
  std::vector<N> along[4], out[outputs];
};

template <class N>
std::unique_ptr<Workspace> workspace_of(const States<N>& s, std::size_t i) {
  std::unique_ptr<Workspace> w = s.workspace(i);
  s.give_rows(*w, i);
  if (s.models.empty()) return w;
  const std::size_t nv = index(s.model->nv);
  const auto of_state = [&](const std::vector<N>& list) { return Derived<N>::part(list, i, nv); };
  set_joint_parameters(*w, nullptr, of_state(s.damping).data(), of_state(s.friction).data());
  return w;
}

double size_of(const List& list) {
  double size = 0;
  for (const double x : list) size = larger(size, std::abs(x));
  return size;
}

struct Looked {
  std::size_t states = 0, packed = 0, failed = 0;
};

// The same status, and numbers within the tolerance of the largest one of the output.
template <class N>
void expect_as_single(const States<N>& states, Instructions here, const Kind& kind, double tolerance,
                      bool accumulate, Looked& looked) {
  Derived<N> d(states, kind, accumulate);
  const Derived<N> before = d;
  Batch batch(d.s.model, d.s.set, batch_options(sizeof(N) == sizeof(float), here));
  d.s.give_rows(batch);
  batch.run(d.call());
  if (batch.width() > 1) looked.states += d.s.count, looked.packed += batch.packed();
  const bool of_their_own = !states.models.empty() || !states.specs.empty();
  for (std::size_t i = 0; i < d.s.count; ++i) {
    const std::unique_ptr<Workspace> w = workspace_of(d.s, i);
    std::array<List, outputs> expected;
    const Status status = before.compute_one(*w, i, expected);
    ASSERT_EQ(d.s.status[i], static_cast<std::int32_t>(status)) << i << ": " << batch.message();
    if (static_cast<std::int32_t>(status) < 0) {
      ++looked.failed;
      continue;
    }
    double all = 0;
    for (const List& list : expected) all = larger(all, size_of(list));
    // Rows that are off have no force, so nothing changes it.
    std::size_t row = 0;
    for (int c = 0; c < d.s.set->constraint_count() && !expected[5].empty() && !accumulate && !d.matrices();
         ++c)
      for (int r = 0; r < d.s.set->row_count(c); ++r, ++row) {
        const std::size_t at = i * index(d.s.set->constraint_count()) + index(c);
        if (!d.s.active.empty() && d.s.active[at] == 0) {
          EXPECT_LE(std::abs(expected[5][row]), 1e-12 * larger(1.0, all));
        }
      }
    for (std::size_t which = 0; which < outputs; ++which) {
      const List found = d.result(which, i);
      // Where rows nearly depend on each other derivatives are large and single calls have few digits; and numbers set for a
      // state are rounded otherwise than those of a model and rows made anew.
      const double hard = larger(1.0, all / 1e4) * (of_their_own ? 30 : 1);
      // Matrices of multipliers are not refined: in floats two digits fewer.
      const double rough = d.matrices() && which > 5 && sizeof(N) == sizeof(float) ? 10 : 1;
      const double most = rough * tolerance * hard * (size_of(expected[which]) + 1e-3 * all);
      for (std::size_t e = 0; e < found.size(); ++e)
        EXPECT_LE(std::abs(found[e] - expected[which][e]), most)
            << "state " << i << " output " << which << " number " << e << ": " << found[e] << " "
            << expected[which][e];
    }
  }
}

// Points and welds, rows of the user, and in half of the robots a closure with the world.
std::shared_ptr<const ConstraintSet> contacts(std::uint64_t seed, const std::shared_ptr<const Model>& model,
                                              int most_rows) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = most_rows;
  std::vector<ConstraintSpec> specs = random_constraints(random, *model, options);
  if (random.chance(0.5))
    specs.push_back(closure_constraint(random.integer(0, static_cast<int>(model->links.size()) - 1),
                                       random.pose(0.2), -1, random.pose(0.5), rows_linear));
  return ConstraintSet::bind(model, specs);
}

template <class N>
void expect_random_as_single(double tolerance, double least_packed) {
  Looked looked;
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      const auto set = contacts(number, robot.model, seed % 3 == 0 ? 12 : 6);
      if (set->row_count() == 0 || robot.model->nv == 0) continue;
      States<N> s(robot, set, 19, number);
      if (seed % 4 > 0) s.draw_rows(number);
      if (seed % 2 == 1) s.draw_robots(robot.mechanism, robot.options, number);
      if (seed % 3 == 1) s.draw_row_numbers(number);
      for (const Kind& kind : kinds) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(kind.function) << static_cast<int>(kind.form)
                                          << static_cast<int>(kind.integrator));
        expect_as_single(s, here, kind, tolerance, seed % 5 == 2, looked);
      }
    }
  EXPECT_GE(static_cast<double>(looked.packed), least_packed * static_cast<double>(looked.states));
}
TEST(RowDerivativesBatch, AreThoseOfSingleCalls) {
  expect_random_as_single<double>(1e-9, 0.2);
}
TEST(RowDerivativesBatch, AreThoseOfSingleCallsInFloats) {
  expect_random_as_single<float>(1e-2, 0.2);
}

// A robot on feet.
struct Walker {
  explicit Walker(bool redundant = false, bool on_world_axes = false) {
    robot = random_robot(3, MechanismOptions{Shape::binary, 20, false}, true);
    const RowAxes axes = on_world_axes ? RowAxes::world : RowAxes::link;
    const int last = static_cast<int>(robot.model->links.size()) - 1;
    std::vector<ConstraintSpec> specs = {point_constraint(last, {0.1, 0.2, 0}, axes),
                                         weld_constraint(last - 3, {}, axes)};
    if (redundant)
      for (const double x : {0.1, 0.2}) specs.push_back(point_constraint(last, {x, 0.1, 0.3}, axes));
    for (ConstraintSpec& spec : specs) spec.frequency = 5, spec.damping_ratio = 0.7;
    set = ConstraintSet::bind(robot.model, specs);
  }
  Robot robot;
  std::shared_ptr<const ConstraintSet> set;
};

TEST(RowDerivativesBatch, OfFeetGoSideBySide) {
  for (const Instructions here : instruction_sets_here())
    for (const bool on_world_axes : {false, true})
      for (const Kind& kind : kinds) {
        const Walker walker(false, on_world_axes);
        Looked doubles, floats;
        expect_as_single(States<double>(walker.robot, walker.set, 19, 3), here, kind, 1e-9, false, doubles);
        expect_as_single(States<float>(walker.robot, walker.set, 19, 3), here, kind, 1e-2, false, floats);
        EXPECT_EQ(doubles.packed, doubles.states);
        EXPECT_GE(2 * floats.packed, floats.states);
      }
}

// Rows that depend on each other, which single calls take.
TEST(RowDerivativesBatch, OfRedundantRowsAreThoseOfSingleCalls) {
  const Walker walker(true);
  for (const Kind& kind : kinds) {
    Looked looked;
    expect_as_single(States<double>(walker.robot, walker.set, 19, 3), Instructions::automatic, kind, 1e-12,
                     false, looked);
    EXPECT_EQ(looked.packed, 0U);
  }
}

// Against differences of constrained dynamics: L = w . qdd + z . lambda.
TEST(RowDerivativesBatch, AreSlopesOfConstrainedDynamics) {
  for (const bool on_world_axes : {false, true}) {
    const Walker walker(false, on_world_axes);
    Derived<double> d(States<double>(walker.robot, walker.set, 8, 3),
                      {BatchFunction::constrained_derivatives, DerivativeForm::vjp});
    Batch batch(d.s.model, d.s.set, batch_options());
    d.s.draw_rows(4);
    std::fill(d.s.active.begin(), d.s.active.end(), 1.0);
    d.s.give_rows(batch);
    ASSERT_EQ(batch.run(d.call()), Status::ok) << batch.message();
    if (batch.width() > 1) {
      EXPECT_EQ(batch.packed(), d.s.count);
    }
    Workspace w(d.s.model);
    Random random(8);
    List dq(d.nv), dv(d.nv), dtau(d.nv), ddesired(d.m);
    for (List* x : {&dq, &dv, &dtau, &ddesired})
      for (double& e : *x) e = random.uniform(-1, 1);
    const auto value = [&](double h) {
      States<double> moved = d.s;
      for (std::size_t i = 0; i < moved.count; ++i) {
        const List q = Derived<double>::part(d.s.q, i, d.nq);
        EXPECT_EQ(integrate(w, q.data(), dq.data(), h, &moved.q[i * d.nq]), Status::ok);
        for (std::size_t k = 0; k < d.nv; ++k)
          moved.v[i * d.nv + k] += h * dv[k], moved.x[i * d.nv + k] += h * dtau[k];
        for (std::size_t r = 0; r < d.m; ++r) moved.desired[i * d.m + r] += h * ddesired[r];
      }
      BatchCall call = moved.call(BatchFunction::constrained_dynamics);
      EXPECT_EQ(batch.run(call), Status::ok) << batch.message();
      List L(moved.count, 0.0);
      for (std::size_t i = 0; i < moved.count; ++i) {
        for (std::size_t k = 0; k < d.nv; ++k) L[i] += moved.out[i * d.nv + k] * d.along[2][i * d.nv + k];
        for (std::size_t r = 0; r < d.m; ++r) L[i] += moved.second[i * d.m + r] * d.along[3][i * d.m + r];
      }
      return L;
    };
    const double h = 1e-5;
    const List p1 = value(h), m1 = value(-h), p2 = value(2 * h), m2 = value(-2 * h);
    for (std::size_t i = 0; i < d.s.count; ++i) {
      double product = 0, terms = 0;
      const auto add = [&](const std::vector<double>& by, const List& change, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k)
          product += by[i * n + k] * change[k], terms += std::abs(by[i * n + k] * change[k]);
      };
      add(d.out[1], dq, d.nv), add(d.out[2], dv, d.nv), add(d.out[3], dtau, d.nv),
          add(d.out[5], ddesired, d.m);
      const double slope = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h);
      EXPECT_LE(std::abs(product - slope), 1e-7 * terms) << i << " " << product << " " << slope;
    }
  }
}

// The digits of a state are the same beside any others, in any order and by any threads; a bad state spoils only itself.
template <class N>
void expect_same_digits(const States<N>& states, const Kind& kind) {
  const bool floats = sizeof(N) == sizeof(float);
  Batch one(states.model, states.set, batch_options(floats)),
      two(states.model, states.set, batch_options(floats, Instructions::automatic, 2));
  Derived<N> d(states, kind);
  d.s.q[3 * d.nq] = std::numeric_limits<N>::quiet_NaN();
  Derived<N> e = d;
  d.s.give_rows(one), e.s.give_rows(two, e.s.count, true);
  EXPECT_EQ(one.run(d.call()), Status::not_finite);
  EXPECT_EQ(std::string(one.message()).substr(0, 9), "state 3: ");
  BatchCall call = e.call();
  const auto backwards = [&](BatchArray& a) {
    if (a.data)
      a.data = static_cast<N*>(a.data) + static_cast<std::ptrdiff_t>(e.s.count - 1) * a.state_stride;
    a.state_stride = -a.state_stride;
  };
  for (BatchArray* a : {&call.q, &call.v, &call.x, &call.wrenches, &call.desired, &call.restitution,
                        &call.derivatives.along_q, &call.derivatives.along_v, &call.derivatives.along_x,
                        &call.derivatives.along_rows})
    backwards(*a);
  for (BatchArray& a : call.out) backwards(a);
  for (BatchArray& a : call.derivatives.by_parameters) backwards(a);
  EXPECT_EQ(two.run(call), Status::not_finite);
  for (std::size_t which = 0; which < outputs; ++which) {
    EXPECT_EQ(d.out[which], e.out[which]);
    const std::size_t n = d.numbers(which);
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(d.out[which][3 * n + k], static_cast<N>(-77));
  }
}
TEST(RowDerivativesBatch, AreTheSameInEveryCompany) {
  for (const std::uint64_t seed : {3, 11, 24}) {
    const Robot robot = random_robot(seed, 14);
    const auto set = contacts(seed, robot.model, 9);
    if (robot.model->nv == 0 || set->row_count() == 0) continue;
    for (const Kind& kind : kinds) {
      States<double> s(robot, set, 37, 5);
      s.draw_rows(seed);
      expect_same_digits(s, kind);
      States<float> f(robot, set, 37, 5);
      f.draw_rows(seed);
      expect_same_digits(f, kind);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
