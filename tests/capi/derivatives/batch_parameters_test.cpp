// Gradients of many states and of rollouts by inertias of links, armatures, friction of joints, wrenches and gravity through
// the C API: against differences of whole calls on robots with changed parameters (tenon_batch_set_parameters), against
// single calls, and what is refused.
#include <cmath>
#include <limits>

#include "derivatives/robots_of_states.hpp"

using namespace tenon_test;

namespace {

// Without gradients by loads states go side by side where they can.
void expect_slopes_of_dynamics(Scene x, const char* what, double tolerance) {
  SCOPED_TRACE(what);
  tenon_batch* const b = x.b.get();
  auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), ts = rows_of(x.tau, x.nv),
       gs = rows_of(x.weight, x.nv), ls = rows_of(x.row_weight, x.m);
  for (const bool loads : {false, true})
    for (const int function : {0, 1, 2}) {
      SCOPED_TRACE(::testing::Message() << "function " << function << " loads " << loads);
      Gradients g(x.robots);
      List forces = x.robots.wrenches_at(0), out(x.states * x.nv), rows(x.states * x.m);
      const auto fs = rows_of(forces, 6 * x.robots.links), os = rows_of(out, x.nv), rs = rows_of(rows, x.m);
      const tenon_batch_array *by_w = loads ? &g.array[4] : nullptr, *by_g = loads ? &g.array[5] : nullptr;
      if (!loads) g.numbers[4].assign(g.numbers[4].size(), 0), g.numbers[5].assign(g.numbers[5].size(), 0);
      x.robots.give(b, 0);
      const tenon_batch_array* const a = g.array;
      ASSERT_EQ(
          function == 0
              ? tenon_batch_inverse_dynamics_parameter_vjp(b, nullptr, x.states, &qs, &vs, &ts, &fs, &gs, &os,
                                                           a, a + 1, a + 2, a + 3, by_w, by_g, nullptr, 0)
          : function == 1
              ? tenon_batch_forward_dynamics_parameter_vjp(b, nullptr, x.states, &qs, &vs, &ts, &fs, &gs, &os,
                                                           a, a + 1, a + 2, a + 3, by_w, by_g, nullptr, 0)
              : tenon_batch_constrained_dynamics_parameter_vjp(b, nullptr, x.states, &qs, &vs, &ts, &fs,
                                                               nullptr, &gs, &ls, &os, &rs, a, a + 1, a + 2,
                                                               a + 3, by_w, by_g, nullptr, 0),
          TENON_OK)
          << tenon_batch_message(b);
      Robots moving = x.robots;
      if (!loads)
        for (List* along : {&moving.along_wrenches, &moving.along_gravity}) along->assign(along->size(), 0);
      const List found = slopes([&](double h) {
        List moved = moving.wrenches_at(h), result(x.states * x.nv), lambda(x.states * x.m), sums;
        const auto ws = rows_of(moved, 6 * moving.links), to = rows_of(result, x.nv),
                   l = rows_of(lambda, x.m);
        moving.give(b, h);
        EXPECT_EQ(
            function == 0   ? tenon_batch_inverse_dynamics(b, x.states, &qs, &vs, &ts, &ws, &to, nullptr, 0)
            : function == 1 ? tenon_batch_forward_dynamics(b, x.states, &qs, &vs, &ts, &ws, &to, nullptr, 0)
                            : tenon_batch_constrained_dynamics(b, nullptr, x.states, &qs, &vs, &ts, &ws,
                                                               nullptr, &to, &l, nullptr, 0, nullptr, 0),
            TENON_OK)
            << tenon_batch_message(b);
        for (std::size_t s = 0; s < x.states; ++s)
          sums.push_back(x.sum(x.weight, result, s, x.nv) +
                         (function == 2 ? x.sum(x.row_weight, lambda, s, x.m) : 0));
        return sums;
      });
      x.expect_slopes(g, found, tolerance);
    }
}
TEST(BatchParameters, GradientsAreSlopesOfDynamics) {
  expect_slopes_of_dynamics(dog(), "dog", 1e-8);
  expect_slopes_of_dynamics(standing(), "standing", 1e-7);
  expect_slopes_of_dynamics(Scene(load("six_bar"), nullptr, 4, true), "six_bar", 1e-8);
}

// Through rollouts, of which the records are weighed by positions and velocities.
void expect_slopes_of_rollouts(Scene x, const char* what, bool loads, int32_t integrator, double tolerance) {
  SCOPED_TRACE(::testing::Message() << what << " loads " << loads << " integrator " << integrator);
  constexpr std::size_t steps = 8, every = 3, records = 2;
  tenon_batch* const b = x.b.get();
  List weight_q, weight_v, tau;
  for (List* list : {&weight_q, &weight_v})
    for (std::size_t i = 0; i < x.states * records * x.nv; ++i) list->push_back(x.robots.uniform(-1, 1));
  for (std::size_t i = 0; i < x.states * steps * x.nv; ++i) tau.push_back(x.robots.uniform(-1, 1));
  const auto of = [](List& list, std::size_t n, std::size_t count) {
    return strided(list, n, 1, static_cast<ptrdiff_t>(n * count), static_cast<ptrdiff_t>(n));
  };
  const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), ts = of(tau, x.nv, steps),
             wq = of(weight_q, x.nv, records), wv = of(weight_v, x.nv, records);
  // To rounding, so that differences of forces at rows are none of how far these converge.
  const auto dense = options_of(tenon_solve_options_init, [](auto& o) { o.method = TENON_METHOD_DENSE; });
  const auto options = options_of(tenon_rollout_options_init, [&](auto& o) {
    o.steps = steps, o.every = every, o.dt = 5e-4, o.integrator = integrator;
    if (x.m > 0) o.solve = dense;
  });
  Gradients g(x.robots, steps);
  if (!loads)
    for (std::size_t i : {4, 5}) g.numbers[i].assign(g.numbers[i].size(), 0);
  List forces = x.robots.wrenches_at(0), by_q(x.states * x.nv), by_v(by_q), by_tau(x.states * steps * x.nv);
  const auto fs = rows_of(forces, 6 * x.robots.links), gq = rows_of(by_q, x.nv), gv = rows_of(by_v, x.nv),
             gt = of(by_tau, x.nv, steps);
  x.robots.give(b, 0);
  const tenon_batch_array* const a = g.array;
  ASSERT_EQ(tenon_batch_rollout_parameter_vjp(b, options, x.states, &qs, &vs, &ts, &fs, &wq, &wv, &gq, &gv,
                                              &gt, a, a + 1, a + 2, a + 3, loads ? a + 4 : nullptr,
                                              loads ? a + 5 : nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b);
  // By the state and the torques as without parameters, but where states go one by one and not side by side.
  List other_q(by_q.size()), other_v(other_q), other_tau(by_tau.size());
  const auto oq = rows_of(other_q, x.nv), ov = rows_of(other_v, x.nv), ot = of(other_tau, x.nv, steps);
  ASSERT_EQ(
      tenon_batch_rollout_vjp(b, options, x.states, &qs, &vs, &ts, &fs, &wq, &wv, &oq, &ov, &ot, nullptr, 0),
      TENON_OK);
  EXPECT_LE(largest_difference(other_q, by_q), 1e-11 * largest(by_q));
  EXPECT_LE(largest_difference(other_v, by_v), 1e-11 * largest(by_v));
  EXPECT_LE(largest_difference(other_tau, by_tau), 1e-11 * largest(by_tau));
  Robots moving = x.robots;
  if (!loads)
    for (List* along : {&moving.along_wrenches, &moving.along_gravity}) along->assign(along->size(), 0);
  List from(x.states * records * x.nq);
  const auto roll = [&](double h, List& q, List& v) {
    List moved = moving.wrenches_at(h);
    const auto ws = rows_of(moved, 6 * moving.links), to_q = of(q, x.nq, records),
               to_v = of(v, x.nv, records);
    moving.give(b, h);
    ASSERT_EQ(tenon_batch_rollout(b, options, x.states, &qs, &vs, &ts, &ws, &to_q, &to_v, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b);
  };
  List ignored(x.states * records * x.nv);
  roll(0, from, ignored);
  const List found = slopes([&](double h) {
    List q(from.size()), v(ignored.size()), sums, apart(x.nv);
    roll(h, q, v);
    for (std::size_t s = 0; s < x.states; ++s) {
      double sum = 0;
      for (std::size_t r = s * records; r < (s + 1) * records; ++r) {
        EXPECT_EQ(tenon_difference(x.w.get(), &from[r * x.nq], x.nq, &q[r * x.nq], x.nq, apart.data(), x.nv),
                  TENON_OK);
        for (std::size_t k = 0; k < x.nv; ++k)
          sum += weight_q[r * x.nv + k] * apart[k] + weight_v[r * x.nv + k] * v[r * x.nv + k];
      }
      sums.push_back(sum);
    }
    return sums;
  });
  x.expect_slopes(g, found, tolerance);
}
TEST(BatchParameters, GradientsThroughRolloutsAreSlopes) {
  for (const int32_t integrator : {TENON_INTEGRATOR_SEMI_IMPLICIT_EULER, TENON_INTEGRATOR_RUNGE_KUTTA_4})
    for (const bool loads : {false, true}) {
      expect_slopes_of_rollouts(dog(), "dog", loads, integrator, 1e-7);
      expect_slopes_of_rollouts(standing(), "standing", loads, integrator, 1e-7);
      expect_slopes_of_rollouts(Scene(load("six_bar"), nullptr, 4, true), "six_bar", loads, integrator, 1e-7);
    }
}

// Each state by the single call: the order of arguments, and sums.
TEST(BatchParameters, AreThoseOfSingleCalls) {
  for (const bool rows : {false, true})
    for (const bool accumulate : {false, true})
      for (const bool loads : {false, true}) {
        SCOPED_TRACE(::testing::Message() << rows << accumulate << loads);
        Scene x = rows ? standing() : dog();
        tenon_batch* const b = x.b.get();
        const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), ts = rows_of(x.tau, x.nv),
                   gs = rows_of(x.weight, x.nv), ls = rows_of(x.row_weight, x.m);
        const auto options =
            options_of(tenon_derivative_options_init, [&](auto& o) { o.accumulate = accumulate; });
        for (const int function : {0, 1, 2}) {
          SCOPED_TRACE(function);
          Gradients g(x.robots);
          List out(x.states * x.nv), lambda(x.states * x.m);
          const auto os = rows_of(out, x.nv), rs = rows_of(lambda, x.m);
          const tenon_batch_array *const a = g.array, *const w = loads ? a + 4 : nullptr,
                                         *const d = loads ? a + 5 : nullptr;
          std::vector<int32_t> status(x.states, 77);
          ASSERT_EQ(function == 0 ? tenon_batch_inverse_dynamics_parameter_vjp(
                                        b, options, x.states, &qs, &vs, &ts, nullptr, &gs, &os, a, a + 1,
                                        a + 2, a + 3, w, d, status.data(), x.states)
                    : function == 1 ? tenon_batch_forward_dynamics_parameter_vjp(
                                          b, options, x.states, &qs, &vs, &ts, nullptr, &gs, &os, a, a + 1,
                                          a + 2, a + 3, w, d, status.data(), x.states)
                                    : tenon_batch_constrained_dynamics_parameter_vjp(
                                          b, options, x.states, &qs, &vs, &ts, nullptr, nullptr, &gs, &ls,
                                          &os, &rs, a, a + 1, a + 2, a + 3, w, d, status.data(), x.states),
                    TENON_OK)
              << tenon_batch_message(b);
          EXPECT_EQ(status, std::vector<int32_t>(x.states, TENON_OK));
          for (std::size_t s = 0; s < x.states; ++s) {
            List one[6], value(x.nv), force(x.m);
            for (std::size_t i = 0; i < 6; ++i) one[i].assign(g.array[i].count, -77.0);
            const double *q = &x.q[s * x.nq], *v = &x.v[s * x.nv], *t = &x.tau[s * x.nv],
                         *y = &x.weight[s * x.nv];
            const std::size_t nw = loads ? one[4].size() : 0, ng = loads ? 3 : 0;
            double *const to_w = loads ? one[4].data() : nullptr, *const to_g =
                                                                      loads ? one[5].data() : nullptr;
            const auto& [p, e, f, h] = std::tie(one[0], one[1], one[2], one[3]);
            if (rows) {
              List every(14 * x.states);  // anchors of two welds
              auto all = rows_of(every, 14);
              ASSERT_EQ(tenon_batch_anchors(b, x.states, &all), TENON_OK);
              for (int32_t c = 0; c < 2; ++c)
                ASSERT_EQ(tenon_workspace_set_anchor(x.w.get(), c,
                                                     &every[s * 14 + 7 * static_cast<std::size_t>(c)], 7),
                          TENON_OK);
            }
            ASSERT_EQ(function == 0 ? tenon_inverse_dynamics_parameter_vjp(
                                          x.w.get(), options, q, x.nq, v, x.nv, t, x.nv, nullptr, 0, y, x.nv,
                                          value.data(), x.nv, p.data(), p.size(), e.data(), x.nv, f.data(),
                                          x.nv, h.data(), x.nv, to_w, nw, to_g, ng)
                      : function == 1
                          ? tenon_forward_dynamics_parameter_vjp(
                                x.w.get(), options, q, x.nq, v, x.nv, t, x.nv, nullptr, 0, y, x.nv,
                                value.data(), x.nv, p.data(), p.size(), e.data(), x.nv, f.data(), x.nv,
                                h.data(), x.nv, to_w, nw, to_g, ng)
                          : tenon_constrained_dynamics_parameter_vjp(
                                x.w.get(), options, q, x.nq, v, x.nv, t, x.nv, nullptr, 0, nullptr, 0, y,
                                x.nv, x.m > 0 ? &x.row_weight[s * x.m] : nullptr, x.m, value.data(), x.nv,
                                force.data(), x.m, p.data(), p.size(), e.data(), x.nv, f.data(), x.nv,
                                h.data(), x.nv, to_w, nw, to_g, ng),
                      TENON_OK)
                << tenon_workspace_message(x.w.get());
            const double most = function == 2 ? 1e-9 : 1e-12;
            const auto compare = [&](const List& of_all, const List& of_one) {
              const auto begin = of_all.begin() + static_cast<ptrdiff_t>(s * of_one.size());
              const List own(begin, begin + static_cast<ptrdiff_t>(of_one.size()));
              if (loads)  // state by state
                EXPECT_EQ(own, of_one);
              else
                EXPECT_LE(largest_difference(own, of_one), most * largest(of_one));
            };
            for (std::size_t i = 0; i < 6; ++i) compare(g.numbers[i], one[i]);
            compare(out, value), compare(lambda, function == 2 ? force : List(x.m));
          }
        }
      }
}

TEST(BatchParameters, RefuseWhatIsWrong) {
  Scene x = dog(3);
  tenon_batch* const b = x.b.get();
  const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv);
  Gradients g(x.robots);
  const auto refused = [&](tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(b)).find(words), std::string::npos) << tenon_batch_message(b);
  };
  const auto forward = [&](const tenon_batch_array* gradient, const tenon_batch_array* inertia,
                           const tenon_batch_array* gravity) {
    return tenon_batch_forward_dynamics_parameter_vjp(b, nullptr, 3, &qs, &vs, &vs, nullptr, gradient,
                                                      nullptr, inertia, nullptr, nullptr, nullptr, nullptr,
                                                      gravity, nullptr, 0);
  };
  refused(forward(nullptr, g.array, nullptr), TENON_INVALID_ARGUMENT, "gradient is NULL");
  refused(forward(&vs, &vs, nullptr), TENON_WRONG_SIZE, "gradient_inertia has");
  refused(forward(&vs, g.array, &vs), TENON_WRONG_SIZE, "gradient_gravity has");
  tenon_batch_array one = g.array[0];
  one.state_stride = 0;
  refused(forward(&vs, &one, nullptr), TENON_WRONG_SIZE, "gradient_inertia: with a state_stride of 0");
  const auto rolled = [&](const tenon_batch_array* inertia, const tenon_batch_array* wrenches) {
    const auto options = options_of(tenon_rollout_options_init, [](auto& o) { o.steps = 2; });
    return tenon_batch_rollout_parameter_vjp(b, options, 3, &qs, &vs, &vs, nullptr, nullptr, nullptr, nullptr,
                                             nullptr, nullptr, inertia, nullptr, nullptr, nullptr, wrenches,
                                             nullptr, nullptr, 0);
  };
  refused(rolled(&vs, nullptr), TENON_WRONG_SIZE, "gradient_inertia has");
  tenon_batch_array no_steps = g.array[4];
  no_steps.record_stride = 0;
  refused(rolled(nullptr, &no_steps), TENON_WRONG_SIZE, "gradient_wrenches: with a record_stride of 0");
  // Nothing is asked of the states: nothing is to be found.
  EXPECT_EQ(rolled(&g.array[0], nullptr), TENON_OK) << tenon_batch_message(b);
  EXPECT_EQ(g.numbers[0], List(g.numbers[0].size(), 0.0));
  // A state that fails spoils no other.
  List q = x.q;
  q[x.nq + 8] = std::numeric_limits<double>::quiet_NaN();
  const auto bad = rows_of(q, x.nq);
  Gradients some(x.robots), all(x.robots);
  EXPECT_EQ(forward(&vs, &all.array[0], nullptr), TENON_OK);
  EXPECT_EQ(tenon_batch_forward_dynamics_parameter_vjp(b, nullptr, 3, &bad, &vs, &vs, nullptr, &vs, nullptr,
                                                       &some.array[0], nullptr, nullptr, nullptr, nullptr,
                                                       nullptr, nullptr, 0),
            TENON_NOT_FINITE);
  const std::size_t each = some.array[0].count;
  for (std::size_t i = 0; i < some.numbers[0].size(); ++i)
    EXPECT_EQ(some.numbers[0][i], i / each == 1 ? -77 : all.numbers[0][i]);
}

}  // namespace
