// Joints that move nothing, for CompileOptions::tolerant_inertias.
#pragma once

#include "tenon/mechanism.hpp"

namespace tenon {

// The mechanism with every joint made fixed that moves neither mass nor inertia, has no armature and takes no
// part in a loop, gear or implicit constraint; a joint that others follow only if these are made fixed too.
// Such a joint makes the mass matrix singular, and no torque of it has an effect on the rest. Adds one
// warning that names them.
Mechanism hold_massless_joints(const Mechanism& mechanism);

}  // namespace tenon
