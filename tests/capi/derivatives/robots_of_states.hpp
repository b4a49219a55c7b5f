// Robots of states of their own, which move along a direction, gradients by what they have, and scenes with such robots.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "../support.hpp"

namespace tenon_test {

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
inline List slopes(const std::function<List(double)>& values) {
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

inline Scene dog(std::size_t states = 19) {
  return Scene(load("go1", TENON_BASE_FLOATING), nullptr, states);
}
inline Scene standing(std::size_t states = 5) {
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  return Scene(std::move(model), std::move(set), states);
}

}  // namespace tenon_test
