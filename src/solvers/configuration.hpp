// Moving along a velocity, joint by joint.
#pragma once

#include "tenon/model.hpp"

namespace tenon {

// q, v: of this joint alone. q := integrate(q, v, dt).
void integrate_joint(const Model::Joint& joint, const double* v, double dt, double* q);

}  // namespace tenon
