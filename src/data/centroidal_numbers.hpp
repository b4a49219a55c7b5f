// The numbers of a whole robot, all its moving bodies together, one behind the other: the centre of mass, its velocity, the
// momentum about it [angular; linear], world axes, kinetic and potential energy. Changes of them and gradients by them are
// listed likewise.
#pragma once

namespace tenon {

inline constexpr int centroidal_parts = 5, centroidal_count = 14;
inline constexpr int centroidal_size[centroidal_parts] = {3, 3, 6, 1, 1};
inline constexpr int centroidal_at[centroidal_parts] = {0, 3, 6, 12, 13};
// Behind them one divided by the mass.
inline constexpr int inverse_mass_at = centroidal_count, centroidal_room = centroidal_count + 1;

// Which of the parts are given, or wanted.
struct CentroidalParts {
  bool part[centroidal_parts] = {};
  // Whether one of them is of motion.
  bool move() const { return part[1] || part[2] || part[3]; }
  // Whether one of them needs a mass to have a centre.
  bool have_center() const { return part[0] || part[1] || part[2]; }
};

}  // namespace tenon
