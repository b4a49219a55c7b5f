// First derivatives of many states in one call, against calls of single states.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 10);
constexpr DerivativeForm forms[] = {DerivativeForm::matrices, DerivativeForm::vjp, DerivativeForm::jvp};
constexpr BatchFunction functions[] = {BatchFunction::inverse_derivatives,
                                       BatchFunction::forward_derivatives};

// The states of a robot, what derivatives are multiplied with, and the results: the function itself, then by q, v, x.
template <class N>
struct Derived {
  Derived(const States<N>& s_, BatchFunction function_, DerivativeForm form_, bool accumulate_ = false)
      : s(s_), function(function_), form(form_), accumulate(accumulate_), nv(index(s.model->nv)) {
    Random random(17);
    for (std::vector<N>& x : along)
      for (std::size_t i = 0; i < s.count * nv; ++i) x.push_back(static_cast<N>(random.uniform(-1, 1)));
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t n = s.count * numbers(i);
      for (std::size_t e = 0; e < n; ++e)
        out[i].push_back(static_cast<N>(accumulate ? random.uniform(-1, 1) : -77));
    }
  }
  // Of one state; 0: not an output of the form.
  std::size_t numbers(std::size_t which) const {
    if (which == 0) return nv;
    if (form == DerivativeForm::jvp && which > 1) return 0;
    return form == DerivativeForm::matrices ? nv * nv : nv;
  }
  BatchCall call() {
    BatchCall c;
    c.function = function, c.states = s.count, c.status = s.status.data();
    c.q = array_of(s.q, s.q.size() / s.count), c.v = array_of(s.v, nv), c.x = array_of(s.x, nv);
    c.wrenches = array_of(s.wrenches, s.wrenches.size() / s.count);
    c.derivatives.form = form, c.derivatives.accumulate = accumulate;
    if (form == DerivativeForm::jvp)
      c.derivatives.along_q = array_of(along[0], nv), c.derivatives.along_v = array_of(along[1], nv);
    if (form != DerivativeForm::matrices) c.derivatives.along_x = array_of(along[2], nv);
    for (std::size_t i = 0; i < 4; ++i) {
      if (numbers(i) == 0) continue;
      c.out[i] = array_of(out[i], numbers(i));
      c.out[i].record_stride = static_cast<std::ptrdiff_t>(nv);
    }
    return c;
  }
  // State i by a single call; the results are doubles.
  Status compute_one(Workspace& w, std::size_t i, std::array<std::vector<double>, 4>& results) const {
    const auto part = [&](const std::vector<N>& list) { return part_of(list, i, list.size() / s.count); };
    const std::vector<double> q = part(s.q), v = part(s.v), x = part(s.x), wrenches = part(s.wrenches),
                              by_q = part(along[0]), by_v = part(along[1]), by_x = part(along[2]);
    for (std::size_t r = 0; r < 4; ++r) results[r] = part(out[r]);
    const bool inverse = function == BatchFunction::inverse_derivatives;
    const Inputs<double> in =
        inverse ? Inputs<double>{q.data(), v.data(), nullptr, wrenches.data(), nullptr, x.data()}
                : Inputs<double>{q.data(), v.data(), x.data(), wrenches.data()};
    const int ld = static_cast<int>(nv);
    const Derivatives to = {{results[1].data(), ld}, {results[2].data(), ld}, {results[3].data(), ld}};
    const StateChange change = {by_q.data(), by_v.data(), by_x.data()};
    const DerivativeOptions options{accumulate};
    double* const value = results[0].data();
    switch (form) {
      case DerivativeForm::matrices:
        return (inverse ? inverse_dynamics_derivatives : forward_dynamics_derivatives)(w, options, in, value,
                                                                                       to);
      case DerivativeForm::vjp:
        return (inverse ? inverse_dynamics_vjp : forward_dynamics_vjp)(w, options, in, by_x.data(), value,
                                                                       to);
      default:
        return (inverse ? inverse_dynamics_jvp : forward_dynamics_jvp)(w, options, in, change, value,
                                                                       results[1].data());
    }
  }

  States<N> s;
  BatchFunction function;
  DerivativeForm form;
  bool accumulate;
  std::size_t nv;
  std::vector<N> along[3], out[4];
};

// A solve amplifies rounding errors by the condition of the mass matrix, those of accelerations too, which derivatives by q depend
// on.
template <class N>
double rounding_of_solve(Workspace& w, const States<N>& s, std::size_t state) {
  const std::vector<double> q = part_of(s.q, state, s.q.size() / s.count);
  const auto n = static_cast<Eigen::Index>(s.v.size() / s.count);
  if (n == 0) return 0;
  Eigen::MatrixXd M(n, n);
  EXPECT_EQ(mass_matrix(w, q.data(), M.data(), static_cast<int>(n)), Status::ok) << w.message();
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(M).singularValues();
  return sizes[0] / sizes[n - 1] * std::numeric_limits<double>::epsilon();
}

template <class N>
void expect_as_single(const States<N>& states, Instructions here, double tolerance, bool accumulate = false) {
  for (const BatchFunction function : functions)
    for (const DerivativeForm form : forms) {
      SCOPED_TRACE(static_cast<int>(function) * 10 + static_cast<int>(form));
      const bool solves = function == BatchFunction::forward_derivatives;
      Derived<N> d(states, function, form, accumulate);
      const Derived<N> before = d;
      Batch batch(d.s.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
      d.s.give_rows(batch);
      ASSERT_EQ(batch.run(d.call()), Status::ok) << batch.message();
      if (d.nv > 0 && batch.width() > 1) {
        EXPECT_EQ(batch.packed(), d.s.count);
      }
      Workspace usual(d.s.model);
      for (std::size_t i = 0; i < d.s.count; ++i) {
        const std::unique_ptr<Workspace> own = d.s.models.empty() ? nullptr : d.s.workspace(i);
        Workspace& w = own ? *own : usual;
        if (own) {
          const auto of_state = [&](const std::vector<N>& list) {
            return std::vector<double>(list.begin() + static_cast<std::ptrdiff_t>(i * d.nv),
                                       list.begin() + static_cast<std::ptrdiff_t>((i + 1) * d.nv));
          };
          const std::vector<double> damping = of_state(d.s.damping), friction = of_state(d.s.friction);
          set_joint_parameters(w, nullptr, damping.data(), friction.data());
        }
        std::array<std::vector<double>, 4> expected;
        ASSERT_EQ(before.compute_one(w, i, expected), Status::ok) << w.message();
        // Against the largest number of the state: a derivative may be zero but for rounding.
        double size = 0;
        for (std::size_t which = 0; which < 4; ++which)
          for (std::size_t e = 0; e < d.numbers(which); ++e)
            size = larger(size, std::abs(expected[which][e]));
        const double most = solves ? 10 * larger(tolerance, rounding_of_solve<N>(w, d.s, i)) : tolerance;
        for (std::size_t which = 0; which < 4; ++which) {
          const std::size_t n = d.numbers(which);
          for (std::size_t e = 0; e < n; ++e)
            EXPECT_LE(std::abs(static_cast<double>(d.out[which][i * n + e]) - expected[which][e]),
                      most * size)
                << "state " << i << " output " << which << " number " << e;
        }
      }
    }
}

TEST(DerivativesBatch, OfRandomTreesAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      expect_as_single(States<double>(robot, nullptr, 11, number), here, 1e-12, seed % 2 == 1);
      expect_as_single(States<float>(robot, nullptr, 19, number), here, 1e-3, seed % 2 == 1);
    }
}

TEST(DerivativesBatch, OfRobotsOfTheirOwnAreThoseOfModelsCompiledAnew) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots / 5 && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      States<double> s(robot, nullptr, 11, number);
      s.draw_robots(robot.mechanism, robot.options, number);
      expect_as_single(s, here, 1e-12);
      States<float> f(robot, nullptr, 19, number);
      f.draw_robots(robot.mechanism, robot.options, number);
      expect_as_single(f, here, 1e-3);
    }
}

// By parameters, written and added, with robots of their own in half of the trials.
template <class N>
void expect_parameters_as_single(States<N> s, Instructions here, double tolerance, bool accumulate) {
  const std::size_t nv = index(s.model->nv), nq = index(s.model->nq), links = s.model->links.size(),
                    counts[parameter_kinds] = {10 * links, nv, nv, nv, 6 * links, 3};
  Random random(9);
  std::vector<N> along, out[parameter_kinds];
  for (std::size_t i = 0; i < s.count * nv; ++i) along.push_back(static_cast<N>(random.uniform(-1, 1)));
  Batch batch(s.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  Workspace usual(s.model);
  for (const BatchFunction function : functions)
    for (const std::size_t kinds : {std::size_t{4}, parameter_kinds}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(function) << " kinds " << kinds);
      BatchCall c;
      c.function = function, c.states = s.count;
      c.q = array_of(s.q, nq), c.v = array_of(s.v, nv), c.x = array_of(s.x, nv);
      c.wrenches = array_of(s.wrenches, s.wrenches.size() / s.count);
      c.derivatives.form = DerivativeForm::parameter_vjp, c.derivatives.accumulate = accumulate;
      c.derivatives.along_x = array_of(along, nv);
      for (std::size_t k = 0; k < kinds; ++k) {
        out[k].assign(s.count * counts[k], N(accumulate ? 0.5 : -77));
        c.derivatives.by_parameters[k] = array_of(out[k], counts[k]);
      }
      ASSERT_EQ(batch.run(c), Status::ok) << batch.message();
      if (nv > 0 && batch.width() > 1) {
        EXPECT_EQ(batch.packed(), kinds == 4 ? s.count : 0);
      }
      for (std::size_t i = 0; i < s.count; ++i) {
        const auto part = [&](const std::vector<N>& list, std::size_t n) { return part_of(list, i, n); };
        const std::unique_ptr<Workspace> own = s.models.empty() ? nullptr : s.workspace(i);
        Workspace& w = own ? *own : usual;
        if (own) set_joint_parameters(w, nullptr, part(s.damping, nv).data(), part(s.friction, nv).data());
        const std::vector<double> q = part(s.q, nq), v = part(s.v, nv), x = part(s.x, nv),
                                  y = part(along, nv),
                                  wrenches = part(s.wrenches, s.wrenches.size() / s.count);
        std::vector<double> expected[parameter_kinds];
        for (std::size_t k = 0; k < kinds; ++k) expected[k].assign(counts[k], accumulate ? 0.5 : -77);
        ParameterGradient to = {expected[0].data(), expected[1].data(), expected[2].data(),
                                expected[3].data()};
        if (kinds > 4) to.by_wrenches = expected[4].data(), to.by_gravity = expected[5].data();
        const bool inverse = function == BatchFunction::inverse_derivatives;
        const Inputs<double> in =
            inverse ? Inputs<double>{q.data(), v.data(), nullptr, wrenches.data(), nullptr, x.data()}
                    : Inputs<double>{q.data(), v.data(), x.data(), wrenches.data()};
        ASSERT_EQ((inverse ? inverse_dynamics_parameter_vjp : forward_dynamics_parameter_vjp)(
                      w, {accumulate}, in, y.data(), nullptr, to),
                  Status::ok)
            << w.message();
        for (std::size_t k = 0; k < kinds; ++k) {
          const double most = inverse ? tolerance : 10 * tolerance;
          const std::vector<double> found = part(out[k], counts[k]);
          EXPECT_LE(difference(found.data(), expected[k].data(), counts[k]), most)
              << i << " parameters " << k;
        }
      }
    }
}

TEST(DerivativesBatch, ByParametersAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      States<double> s(robot, nullptr, 11, number);
      States<float> f(robot, nullptr, 19, number);
      if (seed % 2 == 1) {
        s.draw_robots(robot.mechanism, robot.options, number);
        f.draw_robots(robot.mechanism, robot.options, number);
      }
      expect_parameters_as_single(s, here, 1e-12, seed % 3 == 1);
      expect_parameters_as_single(f, here, 1e-3, seed % 3 == 1);
    }
}

// Steps, with robots of their own in half of the trials.
template <class N>
void expect_steps_as_single(States<N> s, Integrator integrator, Instructions here, double tolerance) {
  const std::size_t nv = index(s.model->nv), nq = index(s.model->nq), sizes[] = {nq, nv, nv, nv, nv};
  Random random(9);
  std::vector<N> along[3], out[5];
  for (std::vector<N>& x : along)
    for (std::size_t i = 0; i < s.count * nv; ++i) x.push_back(static_cast<N>(random.uniform(-1, 1)));
  Batch batch(s.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  Workspace usual(s.model);
  for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
    BatchCall c;
    c.function = BatchFunction::step_derivatives, c.states = s.count, c.status = s.status.data();
    // Stages at the end of long steps are where rounding errors have grown.
    c.dt = integrator == Integrator::runge_kutta_4 ? 0.005 : 0.05, c.integrator = integrator;
    c.q = array_of(s.q, nq), c.v = array_of(s.v, nv), c.x = array_of(s.x, nv);
    c.wrenches = array_of(s.wrenches, s.wrenches.size() / s.count);
    c.derivatives.form = form;
    c.derivatives.along_q = array_of(along[0], nv), c.derivatives.along_v = array_of(along[1], nv);
    if (form == DerivativeForm::jvp) c.derivatives.along_x = array_of(along[2], nv);
    for (std::size_t i = 0; i < 5; ++i) {
      out[i].assign(s.count * sizes[i], N(0));
      if (i != 3 || form == DerivativeForm::vjp) c.out[i] = array_of(out[i], sizes[i]);
    }
    ASSERT_EQ(batch.run(c), Status::ok) << batch.message();
    if (nv > 0 && batch.width() > 1) {
      EXPECT_EQ(batch.packed(), s.count);
    }
    for (std::size_t i = 0; i < s.count; ++i) {
      const auto part = [&](const std::vector<N>& list, std::size_t n) { return part_of(list, i, n); };
      const std::unique_ptr<Workspace> own = s.models.empty() ? nullptr : s.workspace(i);
      Workspace& w = own ? *own : usual;
      if (own) set_joint_parameters(w, nullptr, part(s.damping, nv).data(), part(s.friction, nv).data());
      const std::vector<double> q = part(s.q, nq), v = part(s.v, nv), x = part(s.x, nv),
                                wrenches = part(s.wrenches, s.wrenches.size() / s.count),
                                a = part(along[0], nv), b = part(along[1], nv), t = part(along[2], nv);
      std::vector<double> expected[5];
      for (std::size_t k = 0; k < 5; ++k) expected[k].assign(sizes[k], 0.0);
      const Inputs<double> in = {q.data(), v.data(), x.data(), wrenches.data()};
      const StepEnd end = {expected[0].data(), expected[4].data()};
      const Derivatives by = {{expected[1].data(), 0}, {expected[2].data(), 0}, {expected[3].data(), 0}};
      const Status status =
          form == DerivativeForm::vjp
              ? step_vjp(w, integrator, {}, c.dt, in, a.data(), b.data(), end, by)
              : step_jvp(w, integrator, {}, c.dt, in, {a.data(), b.data(), t.data()}, end, by);
      ASSERT_EQ(status, Status::ok) << w.message();
      double size = 0;
      for (const std::vector<double>& list : expected)
        for (const double number : list) size = larger(size, std::abs(number));
      for (std::size_t k = 0; k < 5; ++k)
        for (std::size_t e = 0; e < sizes[k]; ++e)
          EXPECT_LE(std::abs(static_cast<double>(out[k][i * sizes[k] + e]) - expected[k][e]),
                    tolerance * size)
              << "state " << i << " output " << k << " number " << e;
    }
  }
}

TEST(DerivativesBatch, OfStepsAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots / 2 && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 25);
      States<double> s(robot, nullptr, 11, number);
      States<float> f(robot, nullptr, 19, number);
      if (seed % 2 == 1) {
        s.draw_robots(robot.mechanism, robot.options, number);
        f.draw_robots(robot.mechanism, robot.options, number);
      }
      for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta_4}) {
        expect_steps_as_single(s, integrator, here, 1e-11);
        expect_steps_as_single(f, integrator, here, 1e-2);
      }
    }
}

// The digits of a state are the same beside any others, in any order and by any threads; a bad state spoils only
// itself.
template <class N>
void expect_same_digits(const States<N>& states, Instructions here) {
  for (const BatchFunction function : functions)
    for (const DerivativeForm form : forms) {
      const auto options = [&](int threads) {
        return batch_options(sizeof(N) == sizeof(float), here, threads);
      };
      Batch one(states.model, nullptr, options(1)), two(states.model, nullptr, options(2));
      Derived<N> d(states, function, form);
      d.s.q[3 * d.s.q.size() / d.s.count] = std::numeric_limits<N>::quiet_NaN();
      Derived<N> e = d;
      EXPECT_EQ(one.run(d.call()), Status::not_finite);
      EXPECT_EQ(std::string(one.message()).substr(0, 9), "state 3: ");
      EXPECT_EQ(d.s.status[3], static_cast<std::int32_t>(Status::not_finite));
      BatchCall call = e.call();
      const auto backwards = [&](BatchArray& a) {
        if (a.data)
          a.data = static_cast<N*>(a.data) + static_cast<std::ptrdiff_t>(e.s.count - 1) * a.state_stride;
        a.state_stride = -a.state_stride;
      };
      for (BatchArray* a : {&call.q, &call.v, &call.x, &call.wrenches, &call.derivatives.along_q,
                            &call.derivatives.along_v, &call.derivatives.along_x})
        backwards(*a);
      for (BatchArray& a : call.out) backwards(a);
      EXPECT_EQ(two.run(call), Status::not_finite);
      for (std::size_t which = 0; which < 4; ++which) {
        EXPECT_EQ(d.out[which], e.out[which]);
        const std::size_t n = d.numbers(which);
        for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(d.out[which][3 * n + k], static_cast<N>(-77));
      }
    }
}

TEST(DerivativesBatch, AreTheSameInEveryCompany) {
  for (const Instructions here : instruction_sets_here())
    for (const std::uint64_t seed : {3, 4, 11}) {
      const Robot robot = random_robot(seed, 25);
      if (robot.model->nv == 0) continue;
      expect_same_digits(States<double>(robot, nullptr, 21, seed), here);
      expect_same_digits(States<float>(robot, nullptr, 37, seed), here);
    }
}

// Zeros between branches are kept from call to call, unless others wrote there; and values after matrices are values alone.
TEST(DerivativesBatch, AreTheSameAfterAnyOthers) {
  const Robot robot = random_robot(11, 25);
  Batch batch(robot.model, nullptr, batch_options());
  Random random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const BatchFunction function = functions[random.integer(0, 1)];
    const DerivativeForm form = forms[random.integer(0, 2)];
    Derived<double> d(States<double>(robot, nullptr, 9, 3), function, form, random.chance(0.3));
    Derived<double> fresh = d;
    const int left_out = random.integer(1, 6);
    const auto run = [&](Derived<double>& x, Batch& on) {
      BatchCall call = x.call();
      if (form != DerivativeForm::jvp && left_out <= 3) call.out[left_out] = {};
      ASSERT_EQ(on.run(call), Status::ok);
    };
    Batch another(robot.model, nullptr, batch_options());
    run(d, batch), run(fresh, another);
    for (Batch* on : {&batch, &another}) {
      Derived<double>& x = on == &batch ? d : fresh;
      BatchCall call = x.call();
      call.function = form == forms[0] ? BatchFunction::inverse_dynamics : BatchFunction::forward_dynamics;
      std::fill(call.out + 1, std::end(call.out), BatchArray{});
      ASSERT_EQ(on->run(call), Status::ok);
    }
    for (int which = 0; which < 4; ++which) ASSERT_EQ(d.out[which], fresh.out[which]) << trial;
  }
}

// Matrices row by row in a larger one, and a part of what there is alone.
TEST(DerivativesBatch, MatricesMayBeBlocksOfLargerOnes) {
  const Robot robot = random_robot(7, 12);
  for (const bool accumulate : {false, true})
    for (const BatchFunction function : functions) {
      Derived<double> d(States<double>(robot, nullptr, 13, 2), function, DerivativeForm::matrices,
                        accumulate);
      Derived<double> other = d;
      Batch batch(robot.model, nullptr, batch_options());
      ASSERT_EQ(batch.run(d.call()), Status::ok);
      BatchCall call = other.call();
      const std::size_t nv = d.nv, ld = nv + 3;
      std::vector<double> rows(13 * ld * ld, 5.0);
      for (std::size_t s = 0; accumulate && s < 13; ++s)
        for (std::size_t i = 0; i < nv; ++i)
          for (std::size_t j = 0; j < nv; ++j)
            rows[s * ld * ld + i * ld + j] = other.out[2][s * nv * nv + i + j * nv];
      call.out[0] = call.out[1] = call.out[3] = {};
      call.out[2] = array_of(rows, ld * ld);
      call.out[2].number_stride = static_cast<std::ptrdiff_t>(ld), call.out[2].record_stride = 1;
      ASSERT_EQ(batch.run(call), Status::ok);
      for (std::size_t s = 0; s < 13; ++s)
        for (std::size_t i = 0; i < ld; ++i)
          for (std::size_t j = 0; j < ld; ++j) {
            const double found = rows[s * ld * ld + i * ld + j];
            ASSERT_EQ(found, i < nv && j < nv ? d.out[2][s * nv * nv + i + j * nv] : 5.0);
          }
    }
}

// Of so many bodies most pairs are on different branches, with more zeros in a row than a pack has numbers.
TEST(DerivativesBatch, OfLargeTreesAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < 3 && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 80);
      expect_as_single(States<double>(robot, nullptr, 11, number), here, 1e-12);
      expect_as_single(States<float>(robot, nullptr, 19, number), here, 1e-2);
    }
}

// Of numbers so large that those of matrices may be no numbers, single calls say what they are; other lanes do not notice.
TEST(DerivativesBatch, MatricesOfAStateOfLargeNumbersAreThoseOfASingleCall) {
  const Robot robot = random_robot(7, 12);
  for (const Instructions here : instruction_sets_here())
    for (const BatchFunction function : functions)
      for (const double speed : {1e80, 1e160}) {
        Derived<double> usual(States<double>(robot, nullptr, 13, 2), function, DerivativeForm::matrices);
        Derived<double> d = usual;
        for (std::size_t k = 4 * d.nv; k < 5 * d.nv; ++k) d.s.v[k] *= speed;
        const Derived<double> before = d;
        Batch batch(robot.model, nullptr, batch_options(false, here));
        ASSERT_EQ(batch.run(usual.call()), Status::ok);
        const std::size_t packed = batch.packed();
        const Status status = batch.run(d.call());
        WorkspaceOptions options;
        options.instructions = here;
        Workspace w(robot.model, nullptr, options);
        std::array<std::vector<double>, 4> expected;
        ASSERT_EQ(before.compute_one(w, 4, expected), status) << speed;
        EXPECT_EQ(status == Status::ok, speed < 1e100);
        if (packed > 0 && status == Status::ok) {
          EXPECT_EQ(batch.packed(), packed - 1);
        }
        for (std::size_t which = 0; which < 4; ++which) {
          const std::size_t n = d.numbers(which);
          for (std::size_t e = 0; e < 13 * n; ++e)
            ASSERT_EQ(d.out[which][e], e / n == 4 ? expected[which][e % n] : usual.out[which][e]) << which;
        }
      }
}

// A sum that is no number, and what is added to one.
TEST(DerivativesBatch, OfStatesWhoseSumsAreNoNumbersFailAlone) {
  const Robot robot = random_robot(7, 12);
  Derived<double> d(States<double>(robot, nullptr, 13, 2), BatchFunction::inverse_derivatives,
                    DerivativeForm::vjp, true);
  d.out[1][5 * d.nv] = std::numeric_limits<double>::quiet_NaN();
  d.along[2][6 * d.nv] = std::numeric_limits<double>::infinity();
  Batch batch(robot.model, nullptr, batch_options());
  EXPECT_EQ(batch.run(d.call()), Status::not_finite);
  EXPECT_NE(std::string(batch.message()).find("state 5: gradient_q"), std::string::npos) << batch.message();
  for (std::size_t s = 0; s < 13; ++s)
    EXPECT_EQ(d.s.status[s], static_cast<std::int32_t>(s == 5 || s == 6 ? Status::not_finite : Status::ok));
}

}  // namespace
}  // namespace tenon::testing
