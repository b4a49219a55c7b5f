// The mass matrix on branch lanes (crba_branches.hpp) is for stars: the trunk is one floating body or the world, and no
// limb carries others.
#pragma once

#include <cstdint>

namespace tenon {

// The velocity coordinates of the limbs of a bundle. Those of a limb are consecutive.
template <int W>
struct LimbCoordinates {
  std::int32_t limb_count, body_count;
  std::int32_t first[W];
  // How many places of the last group of four coordinates are written, in blocks of M and in rows of the root: four
  // where what is written too much is zero or is written again later, else those of the limb.
  std::int32_t block_places[W], root_places[W];
};

}  // namespace tenon
