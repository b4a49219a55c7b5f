// Integration along a velocity, joint by joint, and the velocity between two positions of a joint: on SO(3)
// and SE(3) by the exponential of the body-frame velocity, on SE(2) for planar joints.
#pragma once

#include "tenon/model.hpp"

namespace tenon {

// q, v: of this joint alone. q := integrate(q, v, dt).
void integrate_joint(const Model::Joint& joint, const double* v, double dt, double* q);
// The same for all joints: q and v of the model.
void integrate_joints(const Model& model, const double* v, double dt, double* q);
// v := the velocity that takes q0 to q1 in unit time; a planar joint by the shortest turn.
void joint_difference(const Model::Joint& joint, const double* q0, const double* q1, double* v);

void normalize_quaternion(double* q);
// The same for components of any size, without overflow and underflow; false for zero.
bool scale_to_unit(double* q);

}  // namespace tenon
