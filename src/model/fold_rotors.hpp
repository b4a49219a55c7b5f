// Rotors at almost no cost. A rotor whose centre of mass lies on its axis and whose inertia is symmetric
// about it does not change the inertia of its carrier when it turns. So its mass and inertia are added to the
// carrier's, and only its spin is left: momentum along the axis, and a gyroscopic moment
// (kernels/cluster/cluster.hpp). If the axis is a principal one but the inertia is not symmetric about it,
// the difference turns with the rotor and is added to the carrier's inertia in every evaluation. If a single
// hinge with a parallel axis drives it, the cluster of both becomes an ordinary node: with ratio r and spin
// inertia J, D gains r^2 J and U gains r J along the axis, which costs as much as an armature.
//
// [LOOPS1] sweeps such rotors as bodies and costs 52 to 98 % more than the approximation by armatures.
#pragma once

#include <memory>

#include "tenon/model.hpp"

namespace tenon {

// The same robot without its foldable rotors, or null where it has none. Links and independent coordinates
// keep their numbers; links of folded rotors are fixed to their carriers.
std::unique_ptr<Model::Folding> fold_rotors(const Model& model);

}  // namespace tenon
