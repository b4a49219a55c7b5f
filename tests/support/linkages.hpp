// Planar linkages of bars and pins, assembled at q = 0: a spanning tree of hinges about z, and for every pin
// that the tree leaves open the closure that holds it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "support/random_mechanism.hpp"

namespace tenon::testing {

struct Linkage {
  Robot robot;
  std::vector<ConstraintSpec> closures;
};

// pins: x, y. ground: pins on the base. bars: pairs of pins. rows: those of each closure, about z axes.
Linkage linkage(const std::vector<std::array<double, 2>>& pins, const std::vector<int>& ground,
                const std::vector<std::array<int, 2>>& bars, std::uint32_t rows);

Linkage four_bar(std::uint32_t rows);
// Watt's six-bar: a four-bar and two more bars on its coupler and its rocker.
Linkage six_bar(std::uint32_t rows);
// Theo Jansen's leg (The Great Pretender, 2007): eleven bars and the ground, one degree of freedom.
Linkage strandbeest_leg(std::uint32_t rows);

}  // namespace tenon::testing
