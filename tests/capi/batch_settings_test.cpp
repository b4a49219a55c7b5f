// Clones of batches, what was set read back, loads on links of each state, guesses, and reports of each state.
#include <algorithm>
#include <cmath>
#include <functional>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr std::size_t states = 19;  // more than a pack of any width

struct BatchSettings : ::testing::Test {
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = feet();
  Batch b = made();
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get())),
                    nv = static_cast<std::size_t>(tenon_model_nv(model.get())),
                    links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<double> q = configurations(), v = numbers(states * nv, -0.3, 0.3),
                      tau = numbers(states * nv, -2, 2);

  Constraints feet() {
    Constraints feet = constraints(model);
    for (const int i : {5, 9}) {
      const auto o = options_of(tenon_constraint_options_init, [](auto& x) { x.frequency = 3; });
      EXPECT_EQ(tenon_constraints_add_point(feet.get(), i, nullptr, 0, o, nullptr, nullptr, 0), TENON_OK);
    }
    EXPECT_EQ(tenon_constraints_finish(feet.get(), nullptr, 0), TENON_OK);
    return feet;
  }
  Batch made(int32_t reports = 0, int32_t precision = TENON_PRECISION_DOUBLE) {
    const auto o = options_of(tenon_batch_options_init,
                              [&](auto& x) { x.reports = reports, x.precision = precision, x.threads = 2; });
    tenon_batch* batch = nullptr;
    char message[512] = "?";
    EXPECT_EQ(tenon_batch_create(model.get(), set.get(), o, &batch, message, sizeof message), TENON_OK)
        << message;
    return Batch(batch);
  }
  // Different in each place, between the two.
  static std::vector<double> numbers(std::size_t count, double low, double high) {
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i)
      all[i] = low + (high - low) * static_cast<double>((i * 37 + count) % 101) / 101;
    return all;
  }
  std::vector<double> configurations() {
    const Workspace w = workspace(model);
    std::vector<double> all(states * nq);
    for (std::size_t s = 0; s < states; ++s)
      EXPECT_EQ(tenon_random(w.get(), s + 1, &all[s * nq], nq), TENON_OK);
    return all;
  }
  static std::vector<double> poses(std::size_t count) {
    std::vector<double> all = numbers(7 * count, -0.2, 0.2);
    for (std::size_t i = 0; i < all.size(); i += 7)
      for (std::size_t e = 3; e < 7; ++e) all[i + e] = e == 6 ? 0.8 : e == 3 + i / 7 % 3 ? 0.6 : 0;
    return all;
  }
  static std::vector<double> inertias(std::size_t count, double size) {
    std::vector<double> all(6 * count);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t e : {0, 3, 5}) all[6 * i + e] = size * (2 + 0.01 * static_cast<double>(i + e));
    return all;
  }
  void good(tenon_status status) { good(status, b); }
  static void good(tenon_status status, const Batch& of) {
    EXPECT_EQ(status, TENON_OK) << tenon_batch_message(of.get());
  }
  void fails(tenon_status status, tenon_status expected, const char* words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find(words), std::string::npos)
        << tenon_batch_message(b.get());
  }

  // qdd and lambda, then M.
  template <class N = double>
  std::vector<N> answer(const Batch& from) {
    std::vector<N> x(states * (nv + 6)), M(states * nv * nv), q_(q.begin(), q.end()), v_(v.begin(), v.end()),
        tau_(tau.begin(), tau.end()), lambda(states * 6);
    const auto qs = rows_of(q_, nq), vs = rows_of(v_, nv), ts = rows_of(tau_, nv), xs = rows_of(x, nv),
               ls = rows_of(lambda, 6), Ms = rows_of(M, nv * nv);
    good(tenon_batch_constrained_dynamics(from.get(), nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &xs,
                                          &ls, nullptr, 0, nullptr, 0),
         from);
    good(tenon_batch_mass_matrix(from.get(), states, &qs, &Ms, nullptr, 0), from);
    x.insert(x.end(), lambda.begin(), lambda.end());
    x.insert(x.end(), M.begin(), M.end());
    return x;
  }
  template <class Change>
  tenon_status parameters(tenon_batch* of, std::size_t count, Change change) {
    return tenon_batch_set_parameters(of, count, options_of(tenon_batch_parameters_init, change));
  }
};

}  // namespace

TEST_F(BatchSettings, CloneAnswersAlike) {
  std::vector<double> anchors = poses(2 * states), frames = poses(2 * states), on(2 * states, 1.0),
                      gains = numbers(2 * states, 1, 9), ratios = numbers(2 * states, 0.1, 2),
                      m = numbers(links * states, 1, 2), c = numbers(3 * links * states, -0.05, 0.05),
                      I = inertias(links * states, 0.2), arm = numbers(nv * states, 0, 0.2),
                      g = numbers(3 * states, -9, 9), w = numbers(6 * states, 0.5, 2);
  for (std::size_t i = 0; i < on.size(); i += 3) on[i] = 0;
  const auto anchors_ = rows_of(anchors, 14), frames_ = rows_of(frames, 14), on_ = rows_of(on, 2),
             gains_ = rows_of(gains, 2), ratios_ = rows_of(ratios, 2), m_ = rows_of(m, links),
             c_ = rows_of(c, 3 * links), I_ = rows_of(I, 6 * links), arm_ = rows_of(arm, nv),
             g_ = rows_of(g, 3), w_ = rows_of(w, 6);
  const double gravity[3] = {0, 1, -5}, pose[7] = {0.1, 0.2, 0.3, 0, 0, 0, 1};
  using Setter = std::function<tenon_status(tenon_batch*)>;
  const Setter setters[] = {
      [&](tenon_batch* x) { return tenon_batch_set_anchors(x, states, &anchors_); },
      [&](tenon_batch* x) { return tenon_batch_set_anchor(x, 1, pose, 7); },
      [&](tenon_batch* x) { return tenon_batch_set_gravity(x, gravity, 3); },
      [&](tenon_batch* x) { return tenon_batch_set_gains(x, states, &gains_, &ratios_); },
      [&](tenon_batch* x) { return parameters(x, states, [&](auto& p) { p.frames = &frames_; }); },
      [&](tenon_batch* x) { return parameters(x, states, [&](auto& p) { p.compliance = &w_; }); },
      [&](tenon_batch* x) {
        return parameters(x, states, [&](auto& p) { p.masses = &m_, p.inertias = &I_; });
      },
      [&](tenon_batch* x) {
        return parameters(x, states,
                          [&](auto& p) { p.payload_masses = &m_, p.payload_centers_of_mass = &c_; });
      },
      [&](tenon_batch* x) { return parameters(x, states, [&](auto& p) { p.armatures = &arm_; }); },
      [&](tenon_batch* x) {
        return parameters(x, states, [&](auto& p) { p.damping = &arm_, p.friction = &arm_; });
      },
      [&](tenon_batch* x) { return parameters(x, states, [&](auto& p) { p.gravity = &g_; }); },
      [&](tenon_batch* x) { return tenon_batch_set_active(x, states, &on_); }};
  const auto clone_of = [](const Batch& from) {
    tenon_batch* clone = nullptr;
    char message[512] = "?";
    EXPECT_EQ(tenon_batch_clone(from.get(), &clone, message, sizeof message), TENON_OK) << message;
    EXPECT_STREQ(message, "");
    return Batch(clone);
  };
  std::vector<double> before;
  for (const Setter& set_one : setters) {
    Batch clone = clone_of(b);
    ASSERT_EQ(set_one(clone.get()), TENON_OK) << tenon_batch_message(clone.get());
    const std::vector<double> changed = answer(clone);
    if (!before.empty()) {
      EXPECT_NE(changed, before);
      EXPECT_EQ(answer(b), before);
    }
    Batch other = clone_of(clone);
    EXPECT_EQ(tenon_batch_width(other.get()), tenon_batch_width(clone.get()));
    clone.reset();
    EXPECT_EQ(answer(other), changed) << &set_one - setters;
    b = std::move(other), before = changed;
  }

  tenon_batch* clone = b.get();
  char message[512] = "?";
  EXPECT_EQ(tenon_batch_clone(nullptr, &clone, message, sizeof message), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(clone, nullptr);
  EXPECT_STRNE(message, "");
  EXPECT_EQ(tenon_batch_clone(b.get(), nullptr, nullptr, 0), TENON_INVALID_ARGUMENT);
}

TEST_F(BatchSettings, WhatWasSetIsReadBack) {
  struct Robot {
    std::vector<double> m, c, I, load, load_c, load_I, arm, damping, friction, gravity;
  };
  const auto read = [&](std::size_t count) {
    const double n = std::nan("");
    const std::size_t l = count * links, k = count * nv;
    Robot x{std::vector<double>(l, n),        std::vector<double>(3 * l, n), std::vector<double>(6 * l, n),
            std::vector<double>(l, n),        std::vector<double>(3 * l, n), std::vector<double>(6 * l, n),
            std::vector<double>(k, n),        std::vector<double>(k, n),     std::vector<double>(k, n),
            std::vector<double>(3 * count, n)};
    const auto m = rows_of(x.m, links), c = rows_of(x.c, 3 * links), I = rows_of(x.I, 6 * links),
               load = rows_of(x.load, links), load_c = rows_of(x.load_c, 3 * links),
               load_I = rows_of(x.load_I, 6 * links), arm = rows_of(x.arm, nv),
               damping = rows_of(x.damping, nv), friction = rows_of(x.friction, nv),
               gravity = rows_of(x.gravity, 3);
    good(tenon_batch_robots(b.get(), count, &m, &c, &I, &load, &load_c, &load_I, &arm, &damping, &friction,
                            &gravity));
    return x;
  };
  // At first what the model has.
  const Workspace w = workspace(model, set);
  Robot x = read(2);
  for (std::size_t i = 0; i < links; ++i) {
    double mass = -1, center[3], inertia[6];
    EXPECT_EQ(tenon_workspace_inertia(w.get(), static_cast<int32_t>(i), &mass, center, 3, inertia, 6),
              TENON_OK);
    EXPECT_EQ(x.m[links + i], mass);
    EXPECT_TRUE(std::equal(center, center + 3, &x.c[3 * (links + i)]));
    EXPECT_TRUE(std::equal(inertia, inertia + 6, &x.I[6 * (links + i)]));
    EXPECT_EQ(x.load[links + i], 0);
  }
  EXPECT_EQ(x.gravity, (std::vector<double>{0, 0, -9.81, 0, 0, -9.81}));
  EXPECT_EQ(x.damping, std::vector<double>(2 * nv, 0.0));

  Robot given{numbers(links * states, 1, 2),     numbers(3 * links * states, -0.1, 0.1),
              inertias(links * states, 0.3),     numbers(links * states, 0, 1),
              numbers(3 * links * states, 0, 1), inertias(links * states, 0.1),
              numbers(nv * states, 0, 1),        numbers(nv * states, 0, 2),
              numbers(nv * states, 0, 3),        numbers(3 * states, -9, 9)};
  const auto m = rows_of(given.m, links), c = rows_of(given.c, 3 * links), I = rows_of(given.I, 6 * links),
             load = rows_of(given.load, links), load_c = rows_of(given.load_c, 3 * links),
             load_I = rows_of(given.load_I, 6 * links), arm = rows_of(given.arm, nv),
             damping = rows_of(given.damping, nv), friction = rows_of(given.friction, nv),
             gravity = rows_of(given.gravity, 3);
  good(parameters(b.get(), states, [&](auto& p) {
    p.masses = &m, p.centers_of_mass = &c, p.inertias = &I, p.payload_masses = &load;
    p.payload_centers_of_mass = &load_c, p.payload_inertias = &load_I, p.armatures = &arm;
    p.damping = &damping, p.friction = &friction, p.gravity = &gravity;
  }));
  x = read(states);
  for (const auto part : {&Robot::m, &Robot::c, &Robot::I, &Robot::load, &Robot::load_c, &Robot::load_I,
                          &Robot::arm, &Robot::damping, &Robot::friction, &Robot::gravity})
    EXPECT_EQ(x.*part, given.*part);
  std::vector<double> few(2 * links, 77);
  const auto two = rows_of(few, links);
  fails(tenon_batch_robots(b.get(), 2, &two, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                           nullptr, nullptr),
        TENON_WRONG_SIZE, "inertias of the links of this batch are those of 19 states, not of 2");
  EXPECT_EQ(few, std::vector<double>(2 * links, 77));
  const double down[3] = {0, 0, -1};
  good(tenon_batch_set_gravity(b.get(), down, 3));
  std::vector<double> acts(6);
  const auto acts_ = rows_of(acts, 3);
  good(tenon_batch_robots(b.get(), 2, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr, &acts_));
  EXPECT_EQ(acts, (std::vector<double>{0, 0, -1, 0, 0, -1}));
}

TEST_F(BatchSettings, ConstraintsAreReadBack) {
  std::vector<double> on(2 * states), gains(2 * states), ratios(2 * states), anchors(14 * states),
      frames(14 * states), weights(6 * states), soft(6 * states);
  const auto on_ = rows_of(on, 2), gains_ = rows_of(gains, 2), ratios_ = rows_of(ratios, 2),
             anchors_ = rows_of(anchors, 14), frames_ = rows_of(frames, 14), weights_ = rows_of(weights, 6),
             soft_ = rows_of(soft, 6);
  const auto read = [&] {
    good(tenon_batch_constraints(b.get(), states, &on_, &gains_, &ratios_, &anchors_, &frames_, &weights_,
                                 &soft_));
  };
  read();
  EXPECT_EQ(on, std::vector<double>(2 * states, 1));
  EXPECT_EQ(gains, std::vector<double>(2 * states, 3));
  EXPECT_EQ(weights, std::vector<double>(6 * states, 1));
  EXPECT_EQ(soft, std::vector<double>(6 * states, 0));
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i], i % 7 == 6 ? 1 : 0);

  const std::vector<double> poses_ = poses(2 * states);
  for (std::size_t i = 0; i < on.size(); ++i) on[i] = i % 3 == 0 ? 0 : 1;
  const auto put = [](const std::vector<double>& from, std::vector<double>& to) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  put(numbers(2 * states, 1, 9), gains), put(numbers(2 * states, 0, 2), ratios), put(poses_, anchors);
  std::rotate_copy(poses_.begin(), poses_.begin() + 7, poses_.end(), frames.begin());
  put(numbers(6 * states, 1, 2), weights), put(numbers(6 * states, 0, 0.1), soft);
  good(tenon_batch_set_active(b.get(), states, &on_));
  good(tenon_batch_set_gains(b.get(), states, &gains_, &ratios_));
  good(tenon_batch_set_anchors(b.get(), states, &anchors_));
  good(parameters(b.get(), states,
                  [&](auto& p) { p.frames = &frames_, p.weights = &weights_, p.compliance = &soft_; }));
  const std::vector<std::vector<double>> given = {on, gains, ratios, weights, soft};
  const std::vector<double> placed = frames;
  for (std::vector<double>* x : {&on, &gains, &ratios, &weights, &soft, &anchors, &frames})
    std::fill(x->begin(), x->end(), std::nan(""));
  read();
  EXPECT_EQ((std::vector<std::vector<double>>{on, gains, ratios, weights, soft}), given);
  EXPECT_LT(largest_difference(anchors, poses_), 1e-14);
  EXPECT_LT(largest_difference(frames, placed), 1e-14);
}

// What links carry in each state is what a workspace is told for it.
TEST_F(BatchSettings, Payloads) {
  std::vector<double> m(states * links), c(3 * m.size()), I(6 * m.size()), still = poses(2);
  const auto m_ = rows_of(m, links), c_ = rows_of(c, 3 * links), I_ = rows_of(I, 6 * links),
             at = rows_of(still, 14);
  for (std::size_t s = 0; s < states; ++s) {
    const std::size_t i = s * links + (s % 2 == 0 ? 3 : 7);
    m[i] = 1 + 0.1 * static_cast<double>(s), c[3 * i + s % 3] = 0.2;
    for (const std::size_t e : {0, 3, 5}) I[6 * i + e] = 0.1;
  }
  const auto carried = [&](auto& p) {
    p.payload_masses = &m_, p.payload_centers_of_mass = &c_, p.payload_inertias = &I_;
  };
  for (const int32_t precision : {TENON_PRECISION_DOUBLE, TENON_PRECISION_SINGLE}) {
    b = made(0, precision);
    std::vector<float> mf(m.begin(), m.end()), cf(c.begin(), c.end()), If(I.begin(), I.end()),
        atf(still.begin(), still.end());
    const auto mf_ = rows_of(mf, links), cf_ = rows_of(cf, 3 * links), If_ = rows_of(If, 6 * links),
               atf_ = rows_of(atf, 14);
    const bool single = precision == TENON_PRECISION_SINGLE;
    good(tenon_batch_set_anchors(b.get(), 1, single ? &atf_ : &at));
    good(parameters(b.get(), states, [&](auto& p) {
      carried(p);
      if (single) p.payload_masses = &mf_, p.payload_centers_of_mass = &cf_, p.payload_inertias = &If_;
    }));
    std::vector<double> all;
    if (single) {
      const std::vector<float> x = answer<float>(b);
      all.assign(x.begin(), x.end());
    } else {
      all = answer(b);
    }
    for (std::size_t s = 0; s < states; ++s) {
      const Workspace w = workspace(model, set);
      for (int k = 0; k < 2; ++k)
        ASSERT_EQ(tenon_workspace_set_anchor(w.get(), k, &still[static_cast<std::size_t>(7 * k)], 7),
                  TENON_OK);
      const std::size_t link = s % 2 == 0 ? 3 : 7, i = s * links + link;
      ASSERT_EQ(
          tenon_workspace_set_payload(w.get(), static_cast<int32_t>(link), m[i], &c[3 * i], 3, &I[6 * i], 6),
          TENON_OK);
      std::vector<double> qdd(nv), M(nv * nv);
      ASSERT_EQ(tenon_constrained_dynamics(w.get(), nullptr, &q[s * nq], nq, &v[s * nv], nv, &tau[s * nv], nv,
                                           nullptr, 0, nullptr, 0, qdd.data(), nv, nullptr, 0),
                TENON_OK);
      ASSERT_EQ(tenon_mass_matrix(w.get(), &q[s * nq], nq, M.data(), nv * nv, static_cast<int32_t>(nv)),
                TENON_OK);
      const double size = single ? 2e-4 : 1e-10;
      for (std::size_t k = 0; k < nv; ++k)
        EXPECT_NEAR(all[s * nv + k], qdd[k], size * (1 + largest(qdd))) << s << " " << k;
      for (std::size_t k = 0; k < nv * nv; ++k)
        EXPECT_NEAR(all[states * (nv + 6) + states * 6 + s * nv * nv + k], M[k], size * largest(M));
    }
  }

  b = made();
  good(tenon_batch_set_anchors(b.get(), 1, &at));
  const std::vector<double> unloaded = answer(b);
  good(parameters(b.get(), states, carried));
  EXPECT_NE(answer(b), unloaded);
  std::vector<double> none(links);
  const auto none_ = rows_of(none, links);
  good(parameters(b.get(), 1, [&](auto& p) { p.payload_masses = &none_; }));
  EXPECT_EQ(answer(b), unloaded);

  good(parameters(b.get(), states, carried));
  const std::vector<double> loaded = answer(b);
  std::vector<double> wrong(2 * links, 1);
  const auto two = rows_of(wrong, links);
  fails(parameters(b.get(), 2, [&](auto& p) { p.masses = &two; }), TENON_WRONG_SIZE,
        "inertias of links are those of 2 states, payloads of 19");
  m[states * links - 1] = -1;
  fails(parameters(b.get(), states, carried), TENON_INVALID_INERTIA, "state 18: what is carried by link");
  m[states * links - 1] = 0, I[6 * links] = -1;
  fails(parameters(b.get(), states, carried), TENON_INVALID_INERTIA, "principal moment");
  I[6 * links] = std::nan("");
  fails(parameters(b.get(), states, carried), TENON_NOT_FINITE, "state 1: what is carried by link 0");
  EXPECT_EQ(answer(b), loaded);
}

TEST_F(BatchSettings, CoordinatesCountsAndGuess) {
  EXPECT_EQ(tenon_batch_position_count(b.get()), static_cast<int32_t>(nq));
  EXPECT_EQ(tenon_batch_velocity_count(b.get()), static_cast<int32_t>(nv));
  EXPECT_EQ(tenon_batch_row_count(b.get()), 6);
  EXPECT_EQ(tenon_batch_position_count(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_batch_velocity_count(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_batch_row_count(nullptr), TENON_INVALID_ARGUMENT);

  const Model bar = load("four_bar");
  const Workspace w = workspace(bar);
  b = batch(bar, nullptr, 2);
  const std::size_t n = static_cast<std::size_t>(tenon_model_nq(bar.get())),
                    ny = static_cast<std::size_t>(tenon_model_nyq(bar.get()));
  const int32_t own = TENON_COORDINATES_INDEPENDENT;
  int32_t positions = -1, velocities = -1;
  good(tenon_batch_coordinates(b.get(), &positions, &velocities));
  EXPECT_EQ(positions + velocities, 0);
  good(tenon_batch_set_coordinates(b.get(), own, own));
  good(tenon_batch_coordinates(b.get(), &positions, &velocities));
  EXPECT_EQ(positions + velocities, 2 * own);
  good(tenon_batch_coordinates(b.get(), nullptr, nullptr));
  EXPECT_EQ(tenon_batch_position_count(b.get()), static_cast<int32_t>(ny));

  std::vector<double> guess(n), other(n);
  good(tenon_batch_guess(b.get(), guess.data(), n));
  ASSERT_EQ(tenon_workspace_guess(w.get(), other.data(), n), TENON_OK);
  EXPECT_EQ(guess, other);
  // Another way of assembly than the first.
  std::vector<double> found(8 * n);
  int32_t count = 0;
  ASSERT_EQ(tenon_find_assemblies(w.get(), nullptr, guess.data(), n, 8, found.data(), found.size(), &count),
            TENON_OK)
      << tenon_workspace_message(w.get());
  ASSERT_GT(count, 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double* x = &found[i * n];
    good(tenon_batch_set_guess(b.get(), x, n));
    ASSERT_EQ(tenon_workspace_set_guess(w.get(), x, n), TENON_OK);
    ASSERT_EQ(tenon_workspace_guess(w.get(), other.data(), n), TENON_OK);
    tenon_batch* clone = nullptr;
    ASSERT_EQ(tenon_batch_clone(b.get(), &clone, nullptr, 0), TENON_OK);
    const Batch copy(clone);
    good(tenon_batch_guess(clone, guess.data(), n));
    EXPECT_EQ(guess, other);
    ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), own, own), TENON_OK);
    std::vector<double> y(states * ny, 0.0), M(states), expected(1);
    for (std::size_t k = 0; k < ny; ++k) {
      int32_t index = -1;
      ASSERT_EQ(tenon_model_independent_q(bar.get(), &index, 1), TENON_OK);
      for (std::size_t s = 0; s < states; ++s) y[s * ny + k] = other[static_cast<std::size_t>(index)];
    }
    const auto ys = rows_of(y, ny), Ms = rows_of(M, 1);
    ASSERT_EQ(tenon_mass_matrix(w.get(), y.data(), ny, expected.data(), 1, 1), TENON_OK);
    for (const Batch* of : {static_cast<const Batch*>(&b), &copy}) {
      good(tenon_batch_mass_matrix(of->get(), states, &ys, &Ms, nullptr, 0), *of);
      for (const double x_ : M) EXPECT_NEAR(x_, expected[0], 1e-12 * expected[0]);
    }
    ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), 0, 0), TENON_OK);
  }
  other[0] = std::nan("");
  fails(tenon_batch_set_guess(b.get(), other.data(), n), TENON_NOT_FINITE, "");
  fails(tenon_batch_set_guess(b.get(), other.data(), n + 1), TENON_WRONG_SIZE, "q");
  fails(tenon_batch_guess(b.get(), nullptr, n), TENON_INVALID_ARGUMENT, "q");
}

// Of each state what a workspace reports of it: side by side the residual is that of the rows, and what is solved as a
// single state has the report of a single call.
TEST_F(BatchSettings, Reports) {
  tenon_solve_report report;
  ASSERT_EQ(tenon_solve_report_init(&report, sizeof report), TENON_OK);
  fails(tenon_batch_report(b.get(), 0, &report), TENON_INVALID_ARGUMENT, "keeps no reports");
  // A third point where the first is, that wants to accelerate otherwise in one state.
  Constraints same = constraints(model);
  for (const int i : {5, 9, 5})
    ASSERT_EQ(tenon_constraints_add_point(same.get(), i, nullptr, 0, nullptr, nullptr, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(same.get(), nullptr, 0), TENON_OK);
  set = std::move(same);
  b = made(1);
  fails(tenon_batch_report(b.get(), 0, &report), TENON_OUT_OF_RANGE, "the last call had 0 states");
  const std::size_t m = 9, odd = 4, bad = 11;
  std::vector<double> desired(states * m, 0.0), qdd(states * nv), lambda(states * m);
  desired[odd * m] = 1;
  q[bad * nq] = std::nan("");
  std::vector<int32_t> iterations(states), status(states);
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), ts = rows_of(tau, nv), ds = rows_of(desired, m),
             as = rows_of(qdd, nv), ls = rows_of(lambda, m);
  EXPECT_EQ(tenon_batch_constrained_dynamics(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &ds, &as, &ls,
                                             iterations.data(), states, status.data(), states),
            TENON_NOT_FINITE);
  EXPECT_EQ(status[odd], TENON_INFEASIBLE);
  const Workspace w = workspace(model, set);
  std::size_t side_by_side = 0;
  for (std::size_t s = 0; s < states; ++s) {
    good(tenon_batch_report(b.get(), s, &report));
    EXPECT_EQ(report.iterations, iterations[s]) << s;
    if (s == bad) {
      EXPECT_EQ(report.method, TENON_METHOD_AUTOMATIC);
      EXPECT_EQ(report.rank, -1);
      continue;
    }
    std::vector<double> J(m * nv), rhs(m), x(nv), force(m);
    ASSERT_EQ(tenon_constraint_rows(w.get(), &q[s * nq], nq, &v[s * nv], nv, &desired[s * m], m, J.data(),
                                    m * nv, static_cast<int32_t>(m), rhs.data(), m, nullptr, 0, nullptr, 0),
              TENON_OK);
    std::vector<double> left(m);
    for (std::size_t r = 0; r < m; ++r) {
      double row = -rhs[r];
      for (std::size_t k = 0; k < nv; ++k) row += J[r + k * m] * qdd[s * nv + k];
      left[r] = row;
    }
    EXPECT_NEAR(report.primal_residual, largest(left), 1e-9) << s;
    tenon_solve_report single;
    ASSERT_EQ(tenon_solve_report_init(&single, sizeof single), TENON_OK);
    tenon_constrained_dynamics(w.get(), nullptr, &q[s * nq], nq, &v[s * nv], nv, &tau[s * nv], nv, nullptr, 0,
                               &desired[s * m], m, x.data(), nv, force.data(), m);
    ASSERT_EQ(tenon_workspace_report(w.get(), &single), TENON_OK);
    if (s == odd) {
      EXPECT_GT(report.primal_residual, 0.1);
      EXPECT_EQ(report.method, single.method);
      EXPECT_EQ(report.rank, single.rank);
      EXPECT_NEAR(report.primal_residual, single.primal_residual, 1e-9);
    } else {
      EXPECT_LT(report.primal_residual, 1e-8);
      EXPECT_NE(report.method, TENON_METHOD_AUTOMATIC);
      side_by_side += report.dual_residual == 0 && report.mu == 0 && report.rank == -1;
    }
  }
  if (tenon_batch_width(b.get()) > 1) {
    EXPECT_GT(side_by_side, states / 2);
  }
  fails(tenon_batch_report(b.get(), states, &report), TENON_OUT_OF_RANGE,
        "state is 19; the last call had 19");
  fails(tenon_batch_report(b.get(), 0, nullptr), TENON_INVALID_ARGUMENT, "report");
  report.struct_size = 3;
  fails(tenon_batch_report(b.get(), 0, &report), TENON_WRONG_SIZE, "report");

  tenon_batch* none = nullptr;
  const auto wrong = options_of(tenon_batch_options_init, [](auto& o) { o.reports = 2; });
  char message[512] = "?";
  EXPECT_EQ(tenon_batch_create(model.get(), nullptr, wrong, &none, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message).find("reports is 2"), std::string::npos);
}
