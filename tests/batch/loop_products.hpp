// Tests of products with derivatives of many states (centroidal_test.cpp, kinematics_products_test.cpp): with embedded loops, which
// robots, and in which coordinates.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "batch/loop_states.hpp"
#include "support/geared_robot.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {

// What is wanted, and the size of its terms.
struct Sum {
  double value = 0, size = 0;
  void add(double x) { value += x, size += std::abs(x); }
};

// Calls, and states that packs may compute, of which they did `packed`.
struct Looked {
  int at = 0;
  std::size_t packed = 0, states = 0;
};

// In all coordinates. products(s, batch): the products of these states, and how many packs computed.
template <class N, class Test>
void in_all_coordinates(const LoopScene& scene, std::size_t count, Looked& looked, const Test& products) {
  for (const Coordinates positions : {Coordinates::spanning, Coordinates::independent})
    for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(positions) << static_cast<int>(velocities));
      LoopStates<N> s(scene, nullptr, positions, velocities, count);
      if (!s.usable) continue;
      Batch batch(s.model, nullptr, batch_options(sizeof(N) == sizeof(float)));
      s.place(batch);
      const std::size_t packed = products(s, batch);
      ++looked.at;
      if (positions != Coordinates::spanning || batch.width() == 1) continue;
      looked.packed += packed, looked.states += count;
    }
}

// Each calls expect(scene, seed, looked). Random loops; gears and folded rotors, which are clusters too.
template <class Expect>
void with_random_loops(int robots, const Expect& expect) {
  Looked looked;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().cluster_count == 0) continue;
    expect(scene, static_cast<std::uint64_t>(seed), looked);
  }
  EXPECT_GT(looked.at, robots);
  EXPECT_GE(10 * looked.packed, 9 * looked.states);
}
template <class Expect>
void with_gears(int robots, const Expect& expect) {
  Looked looked;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    Robot tree = random_robot(static_cast<std::uint64_t>(seed), 20);
    add_gears(random, tree.mechanism);
    if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
    expect(loop_scene(tree.mechanism, tree.options), static_cast<std::uint64_t>(seed), looked);
  }
  EXPECT_GT(looked.at, robots);
}
// expect(scene, looked) looks at eight calls for each linkage.
template <class Expect>
void of_linkages(const Expect& expect) {
  Looked looked;
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
    SCOPED_TRACE(name);
    expect(model_scene(name), looked);
  }
  EXPECT_EQ(looked.at, 24);
}

}  // namespace tenon::testing
