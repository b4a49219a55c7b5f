// Limits of the proximal iteration and of constrained_aba, for single states (proximal.cpp, constrained_aba.cpp)
// and for packs of them (batch/pack_dynamics.cpp).
#pragma once

namespace tenon {

// The method refines, so mu can be large. A cluster eliminates coordinates that rows hold together with free
// ones, and a large mu costs the free ones digits; so mu is smaller there.
inline constexpr double scheduled_mu_of_trees = 2e8, scheduled_mu_of_clusters = 3e6;

// Iterations continue to this share of the tolerance while they converge fast: a residual means the larger an
// error of the motion, the harder its row is to move; and the last step of an ordinary solve goes from 1e-7
// to 1e-14.
inline constexpr double safety_factor = 0.02;

// A refining step leaves the square of the error of motion that it finds (WorkspaceData::motion_error), if that is small:
// below this, 1e-10 or less.
inline constexpr double refined_motion = 1e-5;

}  // namespace tenon
