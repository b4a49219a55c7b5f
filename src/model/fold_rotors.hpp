// Rotors for nearly nothing. A rotor whose centre of mass lies on its axis and whose inertia is symmetric
// about it looks the same from its carrier however far it has turned. So its mass and inertia are the
// carrier's, and only its spin is left: momentum along the axis, and a gyroscopic moment
// (kernels/cluster/cluster.hpp). Where the axis is a principal one but the inertia is not symmetric about it,
// the deviation turns with the rotor and is added to the carrier's inertia in every evaluation. Where a hinge
// alone drives it, and the axes are parallel, the cluster of both becomes an ordinary node: with ratio r and
// spin inertia J, D has r^2 J more and U has r J more along the axis, which costs what an armature costs.
//
// [LOOPS1] sweeps such rotors as bodies and pays 52 to 98 % over the approximation by armatures.
#pragma once

#include <memory>

#include "tenon/model.hpp"

namespace tenon {

// The same robot without its foldable rotors, or null where it has none. Links, and independent coordinates,
// keep their numbers; links of folded rotors stand still on their carriers.
std::unique_ptr<Model::Folding> fold_rotors(const Model& model);

}  // namespace tenon
