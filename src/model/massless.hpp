// Joints that move no mass, for CompileOptions::tolerant_inertias.
#pragma once

#include "tenon/mechanism.hpp"

namespace tenon {

// Returns the mechanism with every joint made fixed that moves neither mass nor inertia, has no armature and
// is in no loop, gear or implicit constraint; a joint that others follow only if these are made fixed too.
// Such a joint makes the mass matrix singular, and its torque has no effect on other joints. Adds one warning
// that names them.
Mechanism hold_massless_joints(const Mechanism& mechanism);

}  // namespace tenon
