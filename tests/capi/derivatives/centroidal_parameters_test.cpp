// Gradients of numbers of whole robots by inertias of links, armatures and gravity through the C API: against differences of
// tenon_batch_centroidal on robots with changed parameters, against the regressors of energy of single calls, and what is refused.
#include <array>
#include <cmath>
#include <limits>

#include "derivatives/robots_of_states.hpp"

using namespace tenon_test;

namespace {

constexpr std::size_t parts = 5, sizes[parts] = {3, 3, 6, 1, 1};

// One list for each part, and its array.
struct Whole {
  explicit Whole(std::size_t states) {
    for (std::size_t i = 0; i < parts; ++i) {
      numbers[i].assign(states * sizes[i], 0.0);
      array[i] = rows_of(numbers[i], sizes[i]);
    }
  }
  std::array<List, parts> numbers;
  tenon_batch_array array[parts];
};

struct Case {
  explicit Case(Scene scene_) : scene(std::move(scene_)), weights(scene.states) {
    for (List& list : weights.numbers)
      for (double& x : list) x = scene.robots.uniform(-1, 1);
    qs = rows_of(scene.q, scene.nq), vs = rows_of(scene.v, scene.nv);
  }
  // By all parts, or by those that need no motion.
  tenon_status vjp(Gradients& g, bool moving = true, const tenon_derivative_options* how = nullptr) {
    const tenon_batch_array* const w = weights.array;
    const auto of_motion = [&](int i) { return moving ? &w[i] : nullptr; };
    return tenon_batch_centroidal_parameter_vjp(scene.b.get(), how, scene.states, &qs, moving ? &vs : nullptr,
                                                &w[0], of_motion(1), of_motion(2), of_motion(3), &w[4],
                                                &g.array[0], &g.array[1], &g.array[5], nullptr, 0);
  }
  Gradients cleared() const {
    Gradients g(scene.robots);
    for (const std::size_t none : {2, 3, 4}) g.numbers[none].assign(g.numbers[none].size(), 0.0);
    return g;
  }
  // Of each state, where the robots have moved by h.
  List values(double h, bool moving) {
    scene.robots.give(scene.b.get(), h);
    Whole x(scene.states);
    EXPECT_EQ(tenon_batch_centroidal(scene.b.get(), scene.states, &qs, &vs, &x.array[0], &x.array[1],
                                     &x.array[2], &x.array[3], &x.array[4], nullptr, 0),
              TENON_OK)
        << tenon_batch_message(scene.b.get());
    List sums(scene.states);
    for (std::size_t i = 0; i < parts; ++i)
      for (std::size_t s = 0; s < scene.states && (moving || i == 0 || i == 4); ++s)
        sums[s] += scene.sum(weights.numbers[i], x.numbers[i], s, sizes[i]);
    return sums;
  }
  Scene scene;
  Whole weights;
  tenon_batch_array qs, vs;
};

void expect_slopes(Scene scene, const char* what, double tolerance = 1e-9) {
  SCOPED_TRACE(what);
  Case x(std::move(scene));
  for (const bool moving : {true, false}) {
    SCOPED_TRACE(moving);
    const List expected = slopes([&](double h) { return x.values(h, moving); });
    x.scene.robots.give(x.scene.b.get(), 0);
    Gradients g = x.cleared();
    ASSERT_EQ(x.vjp(g, moving), TENON_OK) << tenon_batch_message(x.scene.b.get());
    x.scene.expect_slopes(g, expected, tolerance);
    // And added.
    Gradients twice = g;
    for (const std::size_t i : {0, 1, 5}) twice.array[i].data = twice.numbers[i].data();
    ASSERT_EQ(
        x.vjp(twice, moving, options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; })),
        TENON_OK);
    for (const std::size_t i : {0, 1, 5})
      for (std::size_t e = 0; e < g.numbers[i].size(); ++e) {
        ASSERT_DOUBLE_EQ(twice.numbers[i][e], 2 * g.numbers[i][e]) << i << " " << e;
      }
  }
}

TEST(CentroidalParameters, AreDifferencesOfRobotsOfTheirOwn) {
  expect_slopes(dog(), "dog");
  expect_slopes(Scene(load("iiwa14"), nullptr, 3), "arm");
  expect_slopes(Scene(load("mini_cheetah", TENON_BASE_FLOATING), nullptr, 5), "with rotors");
  expect_slopes(Scene(load("cassie", TENON_BASE_FLOATING), nullptr, 3), "with loops, as a tree");
}

TEST(CentroidalParameters, AreDifferencesWithLoopsInIndependentCoordinates) {
  for (const char* name : {"four_bar", "six_bar"})
    for (const bool closed : {false, true}) expect_slopes(Scene(load(name), nullptr, 5, closed), name);
}

// Energies are linear: their gradients are the regressors.
TEST(CentroidalParameters, OfEnergiesAreRegressors) {
  Case x(dog(11));
  tenon_workspace* const w = x.scene.w.get();
  for (std::size_t i = 0; i < 3; ++i) x.weights.numbers[i].assign(x.weights.numbers[i].size(), 0.0);
  Gradients g = x.cleared();
  ASSERT_EQ(x.vjp(g), TENON_OK);
  const std::size_t nq = x.scene.nq, nv = x.scene.nv, count = 10 * x.scene.robots.links;
  for (std::size_t s = 0; s < x.scene.states; ++s) {
    List kinetic(count), potential(count);
    ASSERT_EQ(tenon_kinematics(w, &x.scene.q[s * nq], nq, &x.scene.v[s * nv], nv, nullptr, 0), TENON_OK);
    ASSERT_EQ(tenon_energy_regressors(w, kinetic.data(), count, potential.data(), count), TENON_OK);
    for (std::size_t e = 0; e < count; ++e) {
      const double a = x.weights.numbers[3][s] * kinetic[e], b = x.weights.numbers[4][s] * potential[e];
      EXPECT_LE(std::abs(g.numbers[0][s * count + e] - a - b), 1e-12 * (1 + std::abs(a) + std::abs(b))) << e;
    }
  }
}

// Floats, side by side, and each state alone.
TEST(CentroidalParameters, OfFloatsAndOfStatesAlone) {
  Case x(dog(19));
  Gradients all = x.cleared();
  ASSERT_EQ(x.vjp(all), TENON_OK);
  const std::size_t count = 10 * x.scene.robots.links;
  for (std::size_t s = 0; s < x.scene.states; ++s) {
    List one(count);
    const auto to = rows_of(one, count);
    auto at = [&](tenon_batch_array a) {
      a.first += s * static_cast<std::size_t>(a.state_stride);
      return a;
    };
    const auto q = at(x.qs), v = at(x.vs);
    tenon_batch_array weight[parts];
    for (std::size_t i = 0; i < parts; ++i) weight[i] = at(x.weights.array[i]);
    ASSERT_EQ(tenon_batch_centroidal_parameter_vjp(x.scene.b.get(), nullptr, 1, &q, &v, &weight[0],
                                                   &weight[1], &weight[2], &weight[3], &weight[4], &to,
                                                   nullptr, nullptr, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(x.scene.b.get());
    EXPECT_EQ(one, List(&all.numbers[0][s * count], &all.numbers[0][s * count] + count));
  }
}

TEST(CentroidalParameters, AreRefusedWithAReason) {
  Case x(Scene(load("iiwa14"), nullptr, 3));
  tenon_batch* const b = x.scene.b.get();
  Gradients g = x.cleared();
  const auto refused = [&](tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(b)).find(words), std::string::npos)
        << tenon_batch_message(b) << " / " << words;
  };
  const auto vjp = [&](const tenon_batch_array* v, const tenon_batch_array* momentum,
                       const tenon_batch_array* by_inertia) {
    return tenon_batch_centroidal_parameter_vjp(b, nullptr, 3, &x.qs, v, &x.weights.array[0], nullptr,
                                                momentum, nullptr, nullptr, by_inertia, nullptr, nullptr,
                                                nullptr, 0);
  };
  refused(vjp(nullptr, &x.weights.array[2], &g.array[0]), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(vjp(&x.vs, &x.weights.array[0], &g.array[0]), TENON_WRONG_SIZE, "momentum_gradients has 3 numbers");
  refused(vjp(&x.vs, &x.weights.array[2], &g.array[1]), TENON_WRONG_SIZE, "gradient_inertia has 7 numbers");
  EXPECT_EQ(vjp(nullptr, nullptr, &g.array[0]), TENON_OK);
  x.weights.numbers[0][4] = std::numeric_limits<double>::quiet_NaN();
  List before = g.numbers[0];
  refused(vjp(nullptr, nullptr, &g.array[0]), TENON_NOT_FINITE, "state 1: center_gradients");
  const std::size_t count = before.size() / 3;
  for (std::size_t e = count; e < 2 * count; ++e) {
    EXPECT_EQ(g.numbers[0][e], before[e]);
  }
}

}  // namespace
