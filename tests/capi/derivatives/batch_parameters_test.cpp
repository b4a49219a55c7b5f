// Gradients of many states and of rollouts by inertias of links, armatures, friction of joints, wrenches and gravity through
// the C API: against differences of whole calls on robots with changed parameters (tenon_batch_set_parameters), against
// single calls, and what is refused.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "support.hpp"

using namespace tenon_test;

namespace {

using List = std::vector<double>;

// The robots of all states, moved by h along a direction of their own, and the arrays that set them.
struct Robots {
  Robots(const Model& model, tenon_workspace* w, std::size_t states_, std::size_t seed)
      : states(states_),
        links(static_cast<std::size_t>(tenon_model_link_count(model.get()))),
        nv(static_cast<std::size_t>(tenon_model_nv(model.get()))),
        random(static_cast<unsigned>(seed)) {
    for (std::size_t s = 0; s < states; ++s) {
      for (std::size_t l = 0; l < links; ++l) {
        double m = 0, c[3], I[6];
        EXPECT_EQ(tenon_workspace_inertia(w, static_cast<int32_t>(l), &m, c, 3, I, 6), TENON_OK);
        m *= uniform(0.8, 1.3);
        const List own = {m,
                          m * c[0],
                          m * c[1],
                          m * c[2],
                          I[0] + m * (c[1] * c[1] + c[2] * c[2]),
                          I[1] - m * c[0] * c[1],
                          I[2] - m * c[0] * c[2],
                          I[3] + m * (c[0] * c[0] + c[2] * c[2]),
                          I[4] - m * c[1] * c[2],
                          I[5] + m * (c[0] * c[0] + c[1] * c[1])};
        const double size = (I[0] + I[3] + I[5]) / 3;
        for (std::size_t e = 0; e < 10; ++e) {
          pi.push_back(own[e]);
          along_pi.push_back((e == 0 ? m : e < 4 ? 0.05 * m : 0.1 * size) * uniform(-1, 1));
        }
      }
      for (List* x : {&armature, &damping, &friction})
        for (std::size_t k = 0; k < nv; ++k) x->push_back(uniform(0.1, 0.3));
      for (List* x : {&along_armature, &along_damping, &along_friction})
        for (std::size_t k = 0; k < nv; ++k) x->push_back(uniform(-1, 1));
      for (const double g : {0.4, -0.3, -9.81}) gravity.push_back(g), along_gravity.push_back(uniform(-1, 1));
      for (std::size_t e = 0; e < 6 * links; ++e)
        wrenches.push_back(uniform(-1, 1)), along_wrenches.push_back(uniform(-1, 1));
    }
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }

  static List moved(const List& x, const List& along, double h) {
    List y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += h * along[i];
    return y;
  }
  List wrenches_at(double h) const { return moved(wrenches, along_wrenches, h); }
  void give(tenon_batch* b, double h) const {
    const List all = moved(pi, along_pi, h);
    List masses, centers, inertias;
    for (std::size_t i = 0; i < all.size(); i += 10) {
      const double m = all[i], *I = &all[i + 4];
      double c[3] = {0, 0, 0};
      for (std::size_t e = 0; e < 3 && m > 0; ++e) c[e] = all[i + 1 + e] / m;
      masses.push_back(m), centers.insert(centers.end(), c, c + 3);
      inertias.insert(inertias.end(), {I[0] - m * (c[1] * c[1] + c[2] * c[2]), I[1] + m * c[0] * c[1],
                                       I[2] + m * c[0] * c[2], I[3] - m * (c[0] * c[0] + c[2] * c[2]),
                                       I[4] + m * c[1] * c[2], I[5] - m * (c[0] * c[0] + c[1] * c[1])});
    }
    List a = moved(armature, along_armature, h), d = moved(damping, along_damping, h),
         f = moved(friction, along_friction, h), g = moved(gravity, along_gravity, h);
    const auto m_array = rows_of(masses, links), c_array = rows_of(centers, 3 * links),
               I_array = rows_of(inertias, 6 * links), a_array = rows_of(a, nv), d_array = rows_of(d, nv),
               f_array = rows_of(f, nv), g_array = rows_of(g, 3);
    ASSERT_EQ(tenon_batch_set_parameters(b, states,
                                         options_of(tenon_batch_parameters_init,
                                                    [&](auto& o) {
                                                      o.masses = &m_array;
                                                      o.centers_of_mass = &c_array;
                                                      o.inertias = &I_array;
                                                      o.armatures = &a_array;
                                                      o.damping = &d_array;
                                                      o.friction = &f_array;
                                                      o.gravity = &g_array;
                                                    })),
              TENON_OK)
        << tenon_batch_message(b);
  }

  std::size_t states, links, nv;
  std::mt19937 random;
  List pi, armature, damping, friction, gravity, wrenches;
  List along_pi, along_armature, along_damping, along_friction, along_gravity, along_wrenches;
};

// Gradients of all states: inertia, armature, damping, friction, wrenches, gravity.
struct Gradients {
  Gradients(const Robots& r, std::size_t steps = 1) {
    const std::size_t counts[] = {10 * r.links, r.nv, r.nv, r.nv, 6 * r.links, 3};
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t records = i == 4 ? steps : 1;
      numbers[i].assign(r.states * records * counts[i], -77.0);
      array[i] = strided(numbers[i], counts[i], 1, static_cast<ptrdiff_t>(records * counts[i]),
                         static_cast<ptrdiff_t>(counts[i]));
    }
  }
  // The slope of state s along the direction of its robot, and the sum of its terms; wrenches of all steps move alike.
  double slope(const Robots& r, std::size_t s, double& terms) const {
    const List* const along[] = {&r.along_pi,       &r.along_armature, &r.along_damping,
                                 &r.along_friction, &r.along_wrenches, &r.along_gravity};
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t each = array[i].count, whole = numbers[i].size() / r.states;
      for (std::size_t e = 0; e < whole; ++e) {
        const double term = numbers[i][s * whole + e] * (*along[i])[s * each + e % each];
        sum += term, terms += std::abs(term);
      }
    }
    return sum;
  }

  List numbers[6];
  tenon_batch_array array[6];
};

// By central differences of two widths.
List slopes(const std::function<List(double)>& values) {
  const double h = 1e-4;
  const List a = values(h), b = values(-h), c = values(2 * h), d = values(-2 * h);
  List found;
  for (std::size_t i = 0; i < a.size(); ++i)
    found.push_back((4 * (a[i] - b[i]) / (2 * h) - (c[i] - d[i]) / (4 * h)) / 3);
  return found;
}

// A robot with or without rows or embedded loops, and states of it.
struct Scene {
  Scene(Model model_, Constraints set_, std::size_t states_, bool closed = false, int32_t threads = 1)
      : model(std::move(model_)),
        set(std::move(set_)),
        w(workspace(model, set)),
        b(batch(model, set, threads)),
        states(states_),
        robots(model, w.get(), states_, 3) {
    const auto spanning_q = static_cast<std::size_t>(tenon_model_nq(model.get()));
    if (closed) {
      const int32_t own = TENON_COORDINATES_INDEPENDENT;
      List guess(spanning_q);
      EXPECT_EQ(tenon_workspace_guess(w.get(), guess.data(), spanning_q), TENON_OK);
      EXPECT_EQ(tenon_workspace_set_coordinates(w.get(), own, own), TENON_OK);
      EXPECT_EQ(tenon_batch_set_coordinates(b.get(), own, own), TENON_OK);
      nq = static_cast<std::size_t>(tenon_batch_position_count(b.get()));
      List start(nq);
      EXPECT_EQ(tenon_independent_position(w.get(), guess.data(), spanning_q, start.data(), nq), TENON_OK);
      for (std::size_t s = 0; s < states; ++s)
        for (const double x : start) q.push_back(x + robots.uniform(-0.01, 0.01));
    } else {
      // A dog on bent legs, where rows are far from depending on each other.
      nq = spanning_q, q.resize(states * nq);
      List start(nq), along(robots.nv);
      EXPECT_EQ(tenon_neutral(w.get(), start.data(), nq), TENON_OK);
      for (std::size_t s = 0; s < states; ++s) {
        for (std::size_t k = 0; k < along.size(); ++k)  // hip, thigh and calf of each leg
          along[k] = (k < 6 || k % 3 == 0 ? 0.0 : k % 3 == 1 ? 0.8 : -1.6) + robots.uniform(-0.3, 0.3);
        EXPECT_EQ(tenon_integrate(w.get(), start.data(), nq, along.data(), along.size(), 1, &q[s * nq], nq),
                  TENON_OK);
      }
    }
    nv = static_cast<std::size_t>(tenon_batch_velocity_count(b.get()));
    m = static_cast<std::size_t>(tenon_batch_row_count(b.get()));
    for (List* x : {&v, &tau, &weight})
      for (std::size_t i = 0; i < states * nv; ++i) x->push_back(robots.uniform(-1, 1));
    for (double& x : v) x += std::copysign(0.5, x);  // dry friction keeps its signs
    for (std::size_t i = 0; i < states * m; ++i) row_weight.push_back(robots.uniform(-0.1, 0.1));
    if (m > 0) {
      const auto qs = rows_of(q, nq);
      EXPECT_EQ(tenon_batch_anchor_here(b.get(), states, &qs, nullptr, 0), TENON_OK);
    }
  }
  double sum(const List& weights, const List& x, std::size_t s, std::size_t each) const {
    double total = 0;
    for (std::size_t e = s * each; e < (s + 1) * each; ++e) total += weights[e] * x[e];
    return total;
  }
  void expect_slopes(const Gradients& found, const List& expected, double tolerance) const {
    for (std::size_t s = 0; s < states; ++s) {
      double terms = 0;
      const double slope = found.slope(robots, s, terms);
      EXPECT_LE(std::abs(slope - expected[s]), tolerance * terms) << "state " << s << ", " << slope;
    }
  }

  Model model;
  Constraints set;
  Workspace w;
  Batch b;
  std::size_t states;
  Robots robots;
  std::size_t nq = 0, nv = 0, m = 0;
  List q, v, tau, weight, row_weight;
};

Scene dog(std::size_t states = 19) {
  return Scene(load("go1", TENON_BASE_FLOATING), nullptr, states);
}
Scene standing(std::size_t states = 5) {
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  return Scene(std::move(model), std::move(set), states);
}

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
