// Seeded robots with limbs of equal shape, which sweeps take side by side (plan/branches).
#pragma once

#include <cstdint>
#include <vector>

#include "support/random_mechanism.hpp"

namespace tenon::testing {

// What limbs are made of, and the rest of the robot where that can be.
enum class Limbs {
  hinges,
  on_base,       // all on one link
  plain_rotors,  // that fold and do not wobble, on the parents of the hinges that drive them
  any_gears,
  loops,  // linkages, couplings and gears
};

// A random tree with sets of equal limbs on random links, now and then on links of other limbs. The model is
// null where the loops of several limbs do not close together.
Robot robot_with_limbs(std::uint64_t seed, Limbs kind = Limbs::hinges);

// Rows on some limbs' tips, alike in each set, and now and then elsewhere. few: two rigid rows a limb.
std::vector<ConstraintSpec> rows_on_limbs(Random& random, const Robot& robot, bool few = false);

}  // namespace tenon::testing
